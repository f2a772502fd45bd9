import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { EVERYTHING } from '../../states/index.js';
import type { Attributes } from '../engine/attribute-path.rules.js';
import { rowBatches } from './row-batches.js';

/** A managed instance, with what tells it apart in the graph. */
export interface ScannedInstance {
  key: string;
  address: string;
  mode: string;
  type: string;
  name: string;
  provider: string;
  module: string | null;
  index_key: string | null;
  attributes: Attributes;
}

export interface ScannedState {
  id: string;
  tenantId: string;
  version: number;
  serial: string;
  graphError: string | null;
  /** differs whenever what depends on its instances may differ by what the state says */
  graphMark: string;
  /** states of the tenant whose outputs it reads, directly or through others */
  upstream: string[];
}

/** A version that a scan covers. */
export interface CoveredVersion {
  txId: string;
  origin: string;
  kind: string | null;
}

const ROWS_PER_BATCH = 2_000;
const COLUMNS = 'key, address, mode, type, name, provider, module, index_key::text, attributes';
/**
 * Instances of the state $1 that changed after a version. OFFSET keeps PostgreSQL from reading all instances of some types instead, which
 * it takes for few in a table that was filled just now.
 */
export const changedAfter = (parameter: string): string =>
  `(SELECT * FROM instances WHERE state_id = $1 AND since > ${parameter} OFFSET 0) i`;
const LIVE = "mode = 'managed' AND deposed IS NULL";

/** Reads what a scan needs of states, instances and the change log. */
@Injectable()
export class ScannedRows {
  constructor(private readonly work: UnitOfWork) {}

  /** Keeps the state from being deleted to the end of the transaction; writes go on. */
  async state(stateId: string): Promise<ScannedState | undefined> {
    const [row] = await this.work.query<Omit<ScannedState, 'upstream'>>(
      `SELECT s.id, s.tenant_id AS "tenantId", s.version, s.serial, s.graph_error AS "graphError", md5(concat_ws(' ',
         (SELECT g.version || md5(g.landmarks) FROM state_graphs g WHERE g.state_id = s.id),
         (SELECT string_agg(md5(o.value) || o.keys::text, ' ' ORDER BY o.value) FROM output_sources o WHERE o.state_id = s.id),
         (SELECT string_agg(md5(l::text), ' ' ORDER BY l.consumer_key) FROM state_links l WHERE l.consumer_state_id = s.id)
       )) AS "graphMark" FROM states s WHERE s.id = $1 FOR KEY SHARE OF s`,
      [stateId],
    );
    return row && { ...row, upstream: await this.upstream(stateId) };
  }

  async exists(stateId: string): Promise<boolean> {
    return (await this.work.query('SELECT 1 FROM states WHERE id = $1 FOR KEY SHARE', [stateId])).length > 0;
  }

  async tenantOf(stateId: string): Promise<string | undefined> {
    const [row] = await this.work.query<{ tenant_id: string }>('SELECT tenant_id FROM states WHERE id = $1', [
      stateId,
    ]);
    return row?.tenant_id;
  }

  /** Transactions of the versions after one, oldest first. */
  async covered(stateId: string, { after, to }: { after: number; to: number }): Promise<CoveredVersion[]> {
    return this.work.query<CoveredVersion>(
      `SELECT v.tx_id AS "txId", v.origin, t.kind FROM state_versions v LEFT JOIN transactions t ON t.id = v.tx_id
       WHERE v.state_id = $1 AND v.version > $2 AND v.version <= $3 ORDER BY v.version`,
      [stateId, after, to],
    );
  }

  /** Instances of the types that changed after a version (-1: all), a batch at a time. */
  async *changed(
    stateId: string,
    since: number,
    types: readonly string[],
  ): AsyncGenerator<ScannedInstance[]> {
    const from = since < 0 ? 'instances' : changedAfter('$3');
    yield* rowBatches<ScannedInstance>(this.work, {
      sql: `SELECT ${COLUMNS} FROM ${from} WHERE state_id = $1 AND ${LIVE} AND type = ANY($2::text[])`,
      values: since < 0 ? [stateId, types] : [stateId, types, since],
      size: ROWS_PER_BATCH,
    });
  }

  async ofKeys(stateId: string, keys: readonly string[]): Promise<ScannedInstance[]> {
    return this.work.query<ScannedInstance>(
      `SELECT ${COLUMNS} FROM instances WHERE state_id = $1 AND key = ANY($2::uuid[]) AND ${LIVE}`,
      [stateId, keys],
    );
  }

  /** Keys of the instances of the types that changed after a version. */
  async changedKeys(stateId: string, since: number, types: readonly string[]): Promise<string[]> {
    const rows = await this.work.query<{ key: string }>(
      `SELECT key FROM ${changedAfter('$2')} WHERE ${LIVE} AND type = ANY($3::text[])`,
      [stateId, since, types],
    );
    return rows.map(({ key }) => key);
  }

  /** Types of the managed instances. */
  async typesOf(stateId: string): Promise<string[]> {
    const rows = await this.work.query<{ type: string }>(
      `SELECT DISTINCT type FROM instances WHERE state_id = $1 AND ${LIVE}`,
      [stateId],
    );
    return rows.map(({ type }) => type);
  }

  /** The same without attributes. */
  async identitiesOf(
    stateId: string,
    keys: readonly string[],
  ): Promise<Omit<ScannedInstance, 'attributes'>[]> {
    return this.work.query(
      `SELECT key, address, mode, type, name, provider, module, index_key::text FROM instances
       WHERE state_id = $1 AND key = ANY($2::uuid[])`,
      [stateId, keys],
    );
  }

  /**
   * Instances as they were at a version or after it and are not any more, of the types; what retention forgot is left
   * out. Scans of other states may have seen those of versions in between, which this state's scans skip.
   */
  async *replaced(
    stateId: string,
    since: number,
    types: readonly string[],
  ): AsyncGenerator<{ type: string; attributes: Attributes }[]> {
    yield* rowBatches<{ type: string; attributes: Attributes }>(this.work, {
      sql: `SELECT type, attributes FROM instance_history
       WHERE state_id = $1 AND until > $2 AND ${LIVE} AND type = ANY($3::text[])`,
      values: [stateId, since, types],
      size: ROWS_PER_BATCH,
    });
  }

  /** Keys of removed instances; undefined when the log says that everything was replaced. */
  async removed(stateId: string, since: number): Promise<string[] | undefined> {
    const rows = await this.work.query<{ key: string; op: string }>(
      `SELECT DISTINCT key, op FROM state_changes WHERE state_id = $1 AND version > $2 AND (op = 'r' OR key = $3)`,
      [stateId, since, EVERYTHING],
    );
    return rows.some(({ key }) => key === EVERYTHING) ? undefined : rows.map(({ key }) => key);
  }

  private async upstream(stateId: string): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `WITH RECURSIVE read (id, tenant_id) AS (
         SELECT id, tenant_id FROM states WHERE id = $1
         UNION
         SELECT p.id, p.tenant_id FROM read r JOIN state_links l ON l.consumer_state_id = r.id
           JOIN states p ON p.group_id = l.group_id AND p.workspace = l.workspace AND p.tenant_id = r.tenant_id)
       SELECT id FROM read WHERE id <> $1`,
      [stateId],
    );
    return rows.map(({ id }) => id);
  }
}

/** How the graph knows the instance. */
export function identityOf({ index_key: index, ...row }: Omit<ScannedInstance, 'attributes'>) {
  return { ...row, index_key: index === null ? null : (JSON.parse(index) as string | number), deposed: null };
}
