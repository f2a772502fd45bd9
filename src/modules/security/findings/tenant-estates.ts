import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { EVERYTHING } from '../../states/index.js';
import type { Attributes } from '../engine/attribute-path.rules.js';
import type { CheckSet } from './check-sets.js';
import { rowBatches } from './row-batches.js';
import { changedAfter } from './scanned-rows.queries.js';
import { refOf, TenantEstate } from './tenant-estate.js';

interface InstanceRow {
  state_id: string;
  key: string;
  address: string;
  type: string;
  attributes: Attributes;
}

interface KnownEstate {
  estate: TenantEstate;
  /** of the checks, which say what types are needed */
  version: string;
  /** version of each state that the estate holds */
  states: Map<string, number>;
}

const ROWS_PER_BATCH = 5_000;
/** Instances of all cached estates; older ones are forgotten. */
const MAX_CACHED_INSTANCES = 150_000;
/** Large values that neither rules nor `linked` conditions read. */
const LARGE = "'{user_data,user_data_base64,user_data_replace_on_change,tags_all,timeouts}'::text[]";

/** Estates of the tenants that were scanned lately, each brought up to date by what changed since. */
@Injectable()
export class TenantEstates {
  private readonly known = new Map<string, KnownEstate>();

  constructor(private readonly work: UnitOfWork) {}

  /** The estate as it is now. The caller holds the tenant's lock: nobody else changes it meanwhile. */
  async current(tenantId: string, checks: CheckSet): Promise<TenantEstate> {
    let known = this.known.get(tenantId);
    this.known.delete(tenantId);
    if (known?.version !== checks.version)
      known = {
        estate: new TenantEstate(checks),
        version: checks.version,
        states: new Map(),
      };
    await this.refresh(tenantId, known, checks);
    this.remember(tenantId, known);
    return known.estate;
  }

  private async refresh(tenantId: string, known: KnownEstate, checks: CheckSet): Promise<void> {
    // Read before the rows: what is written meanwhile is read again next time.
    const states = await this.work.query<{ id: string; version: number }>(
      'SELECT id, version FROM states WHERE tenant_id = $1',
      [tenantId],
    );
    const existing = new Set(states.map(({ id }) => id));
    for (const id of [...known.states.keys()])
      if (!existing.has(id)) {
        known.estate.deleteState(id);
        known.states.delete(id);
      }
    const fresh: string[] = [];
    for (const { id, version } of states) {
      const since = known.states.get(id);
      if (since === version) continue;
      if (since === undefined || (await this.isRewritten(id, since))) {
        known.estate.deleteState(id);
        fresh.push(id);
      } else await this.update(known.estate, { stateId: id, since }, checks);
      known.states.set(id, version);
    }
    await this.load(known.estate, fresh, checks);
  }

  private async isRewritten(stateId: string, since: number): Promise<boolean> {
    const rows = await this.work.query(
      'SELECT 1 FROM state_changes WHERE state_id = $1 AND version > $2 AND key = $3 LIMIT 1',
      [stateId, since, EVERYTHING],
    );
    return rows.length > 0;
  }

  private async update(
    estate: TenantEstate,
    { stateId, since }: { stateId: string; since: number },
    checks: CheckSet,
  ): Promise<void> {
    const removed = await this.work.query<{ key: string }>(
      `SELECT DISTINCT key FROM state_changes WHERE state_id = $1 AND version > $2 AND op = 'r'`,
      [stateId, since],
    );
    for (const { key } of removed) estate.delete(refOf(stateId, key));
    const rows = await this.work.query<InstanceRow>(
      `SELECT state_id, key, address, type, attributes - ${LARGE} AS attributes FROM ${changedAfter('$2')}
       WHERE mode = 'managed' AND deposed IS NULL AND type = ANY($3::text[])`,
      [stateId, since, [...checks.estateTypes]],
    );
    for (const row of rows) estate.set(instanceOf(row, checks));
  }

  private async load(estate: TenantEstate, stateIds: readonly string[], checks: CheckSet): Promise<void> {
    if (stateIds.length === 0) return;
    const batches = rowBatches<InstanceRow>(this.work, {
      sql: `SELECT state_id, key, address, type, attributes - ${LARGE} AS attributes FROM instances
        WHERE state_id = ANY($1::uuid[]) AND mode = 'managed' AND deposed IS NULL AND type = ANY($2::text[])`,
      values: [stateIds, [...checks.estateTypes]],
      size: ROWS_PER_BATCH,
    });
    for await (const rows of batches) {
      for (const row of rows) estate.set(instanceOf(row, checks));
      await nextTurn();
    }
  }

  private remember(tenantId: string, known: KnownEstate): void {
    this.known.set(tenantId, known);
    let size = 0;
    for (const [id, { estate }] of [...this.known].reverse()) {
      size += estate.instances.size;
      if (size > MAX_CACHED_INSTANCES && id !== tenantId) this.known.delete(id);
    }
  }
}

function instanceOf({ state_id: stateId, key, ...row }: InstanceRow, checks: CheckSet) {
  const attributes = checks.estateAttributes(row.type, row.attributes);
  return { ...row, attributes, stateId, key, ref: refOf(stateId, key) };
}
