import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { Events } from '../../platform/events/index.js';
import { EVERYTHING } from '../states/index.js';
import { type CloudProvider, ID_ATTRIBUTES, type IdAttributes, MATCHER_VERSION } from './cloud-id.js';
import { CloudIdStateEntity } from './entities/cloud-id.entities.js';
import { CloudIdsChanged } from './cloud-ids-changed.event.js';
import { cloudIdsOf, cloudOf, partIdsOf } from './cloud-ids.rules.js';
import { PART_ATTRIBUTES } from './part-ids.rules.js';

/** An instance of a tenant that has one of the ids that were asked for. */
export interface IdentifiedInstance {
  id: string;
  stateId: string;
  key: string;
  address: string;
}

interface ChangedRow {
  key: string;
  address: string;
  type: string;
  attributes: IdAttributes;
}

interface Progress {
  done_version: number;
  matcher: number;
}

interface IdRow {
  key: string;
  id: string;
  provider: CloudProvider;
  address: string;
  isPart: boolean;
}

const ROWS_PER_BATCH = 5_000;
const FIRST_KEY = '00000000-0000-0000-0000-000000000000';
const READ = [...ID_ATTRIBUTES, ...PART_ATTRIBUTES];
const PROJECTION = `jsonb_build_object(${READ.map((name) => `'${name}', attributes->'${name}'`).join(', ')})`;
/** Types of the clouds that have ids; the index on (state, since) finds the changed rows. */
const CHANGED = `SELECT key, address, type, jsonb_strip_nulls(${PROJECTION}) AS attributes FROM instances
  WHERE state_id = $1 AND since > $2 AND mode = 'managed' AND deposed IS NULL
    AND (type LIKE 'aws\\_%' OR type LIKE 'azurerm\\_%' OR type LIKE 'azapi\\_%' OR type LIKE 'google\\_%') AND key > $3
  ORDER BY key LIMIT ${ROWS_PER_BATCH}`;

/** Table `cloud_ids`: brought up to date from the instances that changed since the version it was current for. */
@Injectable()
export class CloudIds {
  constructor(
    private readonly work: UnitOfWork,
    private readonly events: Events,
  ) {}

  /** Instances of the tenant, in any state, that have one of the normalized ids. */
  async find(
    tenantId: string,
    provider: CloudProvider,
    ids: readonly string[],
  ): Promise<IdentifiedInstance[]> {
    return this.work.query<IdentifiedInstance>(
      `SELECT id, state_id AS "stateId", key, address FROM cloud_ids
       WHERE tenant_id = $1 AND provider = $2 AND id = ANY($3::text[]) ORDER BY id, state_id, address`,
      [tenantId, provider, ids],
    );
  }

  /** States whose ids are older than the state, at most `limit`. */
  async dueStates(limit: number): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT s.id FROM states s LEFT JOIN cloud_id_states c ON c.state_id = s.id
       WHERE s.version > 0 AND (c.state_id IS NULL OR c.done_version < s.version OR c.matcher <> $1) LIMIT $2`,
      [MATCHER_VERSION, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Idempotent; two callers of one state take turns. Does nothing when the state is gone or nothing is due. */
  async update(stateId: string): Promise<void> {
    await this.work.run(async () => {
      const progress = await this.lock(stateId);
      // Read before the rows: what a write adds meanwhile is looked at again by the next update.
      const [state] = await this.work.query<{ version: number; tenant_id: string }>(
        'SELECT version, tenant_id FROM states WHERE id = $1',
        [stateId],
      );
      if (!progress || !state) return;
      const isCurrent = progress.matcher === MATCHER_VERSION;
      if (isCurrent && progress.done_version >= state.version) return;
      const since = isCurrent ? progress.done_version : -1;
      const changed = new Set<string>();
      await this.deleteRemoved(stateId, since, changed);
      for (let after: string | undefined = FIRST_KEY; after !== undefined;)
        after = await this.updateBatch(state.tenant_id, { stateId, since, after }, changed);
      await this.work.manager.update(
        CloudIdStateEntity,
        { stateId },
        { doneVersion: state.version, matcher: MATCHER_VERSION },
      );
      if (changed.size > 0)
        await this.events.publish(new CloudIdsChanged(state.tenant_id, stateId, [...changed]));
    });
  }

  private async lock(stateId: string): Promise<Progress | undefined> {
    await this.work.query(
      `INSERT INTO cloud_id_states (state_id, done_version, matcher) SELECT id, -1, $2 FROM states WHERE id = $1
       ON CONFLICT (state_id) DO NOTHING`,
      [stateId, MATCHER_VERSION],
    );
    const [row] = await this.work.query<Progress>(
      'SELECT done_version, matcher FROM cloud_id_states WHERE state_id = $1 FOR UPDATE',
      [stateId],
    );
    return row;
  }

  /** Ids of instances that are gone: those the change log names, or all that have no row when it names everything. */
  private async deleteRemoved(stateId: string, since: number, changed: Set<string>): Promise<void> {
    const removed = await this.work.query<{ id: string }>(
      `DELETE FROM cloud_ids c WHERE c.state_id = $1
         AND (EXISTS (SELECT FROM state_changes e WHERE e.state_id = $1 AND e.version > $2 AND e.key = $3) OR $2 < 0
           OR c.key IN (SELECT d.key FROM state_changes d WHERE d.state_id = $1 AND d.version > $2 AND d.op = 'r'))
         AND NOT EXISTS (SELECT FROM instances i WHERE i.state_id = $1 AND i.key = c.key)
       RETURNING c.id`,
      [stateId, since, EVERYTHING],
    );
    for (const { id } of removed) changed.add(id);
  }

  /** Answers the last key, or undefined after the last batch. */
  private async updateBatch(
    tenantId: string,
    at: { stateId: string; since: number; after: string },
    changed: Set<string>,
  ): Promise<string | undefined> {
    const rows = await this.work.query<ChangedRow>(CHANGED, [at.stateId, at.since, at.after]);
    const wanted = rows.flatMap(idRowsOf);
    const differing = await this.work.query<{ id: string }>(
      `WITH wanted AS (SELECT * FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $8::boolean[])
           AS w (key, id, provider, address, is_part)),
         gone AS (DELETE FROM cloud_ids c WHERE c.state_id = $1 AND c.key = ANY($7::uuid[])
           AND NOT EXISTS (SELECT FROM wanted w WHERE w.key = c.key AND w.id = c.id) RETURNING c.id),
         added AS (INSERT INTO cloud_ids (state_id, tenant_id, key, id, provider, address, is_part)
           SELECT DISTINCT ON (key, id) $1::uuid, $2::uuid, key, id, provider, address, is_part FROM wanted
            ORDER BY key, id, is_part
           ON CONFLICT (state_id, key, id) DO UPDATE
              SET provider = excluded.provider, address = excluded.address, is_part = excluded.is_part
            WHERE (cloud_ids.provider, cloud_ids.address, cloud_ids.is_part)
                  IS DISTINCT FROM (excluded.provider, excluded.address, excluded.is_part)
           RETURNING id)
       SELECT id FROM gone UNION ALL SELECT id FROM added`,
      [
        at.stateId,
        tenantId,
        wanted.map(({ key }) => key),
        wanted.map(({ id }) => id),
        wanted.map(({ provider }) => provider),
        wanted.map(({ address }) => address),
        rows.map(({ key }) => key),
        wanted.map(({ isPart }) => isPart),
      ],
    );
    for (const { id } of differing) changed.add(id);
    return rows.length < ROWS_PER_BATCH ? undefined : rows.at(-1)?.key;
  }
}

function idRowsOf({ key, address, type, attributes }: ChangedRow): IdRow[] {
  const provider = cloudOf(type);
  if (provider === undefined) return [];
  const common = { key, provider, address };
  return [
    ...cloudIdsOf(type, attributes).map((id) => ({ ...common, id, isPart: false })),
    ...partIdsOf(type, attributes).map((id) => ({ ...common, id, isPart: true })),
  ];
}
