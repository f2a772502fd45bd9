import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type Link, linkIdsOf, LINKED_TYPES, pricedTypes } from '../../pricing/index.js';
import { EVERYTHING } from '../../states/index.js';
import { linkHash } from '../instances/link-hash.js';
import type { LinkTarget } from '../instances/known-links.js';
import type { InstanceRow } from '../instances/priced-item.js';

export interface CostedState {
  id: string;
  tenantId: string;
  version: number;
  graphError: string | null;
}

/** Where a version came from. */
export interface CoveredVersion {
  origin: string;
  txId: string;
  /** a runner wrote it, and said what it printed */
  isOfRunner: boolean;
  createdAt: Date;
}

const ROWS_PER_BATCH = 2_000;
const FIRST_KEY = '00000000-0000-0000-0000-000000000000';
/** Read of every instance: what tells its region, its id in the cloud and its tags. */
const COMMON = [
  ...['id', 'arn', 'self_link', 'region', 'availability_zone', 'availability_zones', 'zone', 'location'],
  ...['tags', 'tags_all', 'labels', 'terraform_labels', 'effective_labels', 'tag'],
];
/** Large, and read by no rule. */
const UNREAD = [
  'user_data',
  'user_data_base64',
  'policy',
  'assume_role_policy',
  'custom_data',
  'description',
];
const COMMON_SQL = COMMON.map((name) => `'${name}', attributes->'${name}'`).join(', ');
const COLUMNS = `key, address, deposed, type, provider,
  CASE WHEN type = ANY($2::text[]) THEN attributes - '{${UNREAD.join(',')}}'::text[] ELSE jsonb_strip_nulls(jsonb_build_object(${COMMON_SQL})) END AS attributes`;

/** Reads what pricing needs of states, instances and the change log. */
@Injectable()
export class CostedRows {
  private readonly wholeTypes = [...new Set([...pricedTypes(), ...LINKED_TYPES])];

  constructor(private readonly work: UnitOfWork) {}

  async tenantOf(stateId: string): Promise<string | undefined> {
    const [row] = await this.work.query<{ tenant_id: string }>('SELECT tenant_id FROM states WHERE id = $1', [
      stateId,
    ]);
    return row?.tenant_id;
  }

  /** Keeps the state from being deleted to the end of the transaction; writes go on. */
  async state(stateId: string): Promise<CostedState | undefined> {
    const [row] = await this.work.query<CostedState>(
      `SELECT id, tenant_id AS "tenantId", version, graph_error AS "graphError" FROM states WHERE id = $1 FOR KEY SHARE`,
      [stateId],
    );
    return row;
  }

  /** The newest version after one, if there is any. */
  async newest(stateId: string, after: number): Promise<CoveredVersion | undefined> {
    const [row] = await this.work.query<CoveredVersion>(
      `SELECT v.origin, v.tx_id AS "txId", v.created_at AS "createdAt",
         coalesce(t.output_kind IS NOT NULL, false) AS "isOfRunner"
       FROM state_versions v LEFT JOIN transactions t ON t.id = v.tx_id WHERE v.state_id = $1 AND v.version > $2 ORDER BY v.version DESC LIMIT 1`,
      [stateId, after],
    );
    return row;
  }

  /** All managed instances, deposed ones included, in order of their keys. */
  async *all(stateId: string): AsyncGenerator<InstanceRow[]> {
    for (let after: string | undefined = FIRST_KEY; after !== undefined;) {
      const rows: InstanceRow[] = await this.work.query<InstanceRow>(
        `SELECT ${COLUMNS} FROM instances WHERE state_id = $1 AND key > $3 AND mode = 'managed' ORDER BY key LIMIT ${ROWS_PER_BATCH}`,
        [stateId, this.wholeTypes, after],
      );
      if (rows.length > 0) yield rows;
      after = rows.length < ROWS_PER_BATCH ? undefined : rows.at(-1)?.key;
    }
  }

  async *ofKeys(stateId: string, keys: readonly string[]): AsyncGenerator<InstanceRow[]> {
    for (let at = 0; at < keys.length; at += ROWS_PER_BATCH)
      yield await this.work.query<InstanceRow>(
        `SELECT ${COLUMNS} FROM instances WHERE state_id = $1 AND key = ANY($3::uuid[]) AND mode = 'managed' ORDER BY key`,
        [stateId, this.wholeTypes, keys.slice(at, at + ROWS_PER_BATCH)],
      );
  }

  /** What changed after a version; undefined when that is more than `limit`, or when the log says that it is everything. */
  async changes(
    stateId: string,
    { since, limit }: { since: number; limit: number },
  ): Promise<{ changed: string[]; removed: string[] } | undefined> {
    const removed = await this.work.query<{ key: string }>(
      `SELECT DISTINCT key FROM state_changes WHERE state_id = $1 AND version > $2 AND (op = 'r' OR key = $3) LIMIT $4`,
      [stateId, since, EVERYTHING, limit + 1],
    );
    const changed = await this.work.query<{ key: string }>(
      `SELECT key FROM instances WHERE state_id = $1 AND since > $2 AND mode = 'managed' LIMIT $3`,
      [stateId, since, limit + 1],
    );
    if (removed.length + changed.length > limit || removed.some(({ key }) => key === EVERYTHING))
      return undefined;
    const present = new Set(changed.map(({ key }) => key));
    return {
      changed: [...present],
      removed: removed.map(({ key }) => key).filter((key) => !present.has(key)),
    };
  }

  /** Instances that answer the links, found by looking at all instances of the types. */
  async linked(
    stateId: string,
    wanted: ReadonlyMap<string, Link>,
  ): Promise<{ hash: string; target: LinkTarget }[]> {
    const types = [...new Set([...wanted.values()].map(({ type }) => type))];
    const found: { hash: string; target: LinkTarget }[] = [];
    for (let after: string | undefined = FIRST_KEY; after !== undefined;) {
      const rows: LinkTarget[] = await this.work.query<LinkTarget>(
        `SELECT key, address, type, attributes FROM instances WHERE state_id = $1 AND type = ANY($2::text[]) AND key > $3
           AND mode = 'managed' AND deposed IS NULL ORDER BY key LIMIT ${ROWS_PER_BATCH}`,
        [stateId, types, after],
      );
      for (const target of rows)
        for (const id of linkIdsOf(target.type, target.attributes)) {
          const hash = linkHash(target.type, id);
          if (wanted.has(hash)) found.push({ hash, target });
        }
      after = rows.length < ROWS_PER_BATCH ? undefined : rows.at(-1)?.key;
    }
    return found;
  }

  async targets(stateId: string, keys: readonly string[]): Promise<LinkTarget[]> {
    return this.work.query<LinkTarget>(
      `SELECT key, address, type, attributes FROM instances WHERE state_id = $1 AND key = ANY($2::uuid[])
         AND mode = 'managed' AND deposed IS NULL`,
      [stateId, keys],
    );
  }
}
