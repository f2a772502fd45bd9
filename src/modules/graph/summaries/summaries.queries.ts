import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { decodeText, encodePageToken } from '../../../platform/http/index.js';
import type { ResourceTypeView, StateSummaryView } from '../dto/graph.dto.js';
import type { StateStatistics } from '../projection/graph-statistics.rules.js';

export interface StateStatisticsRow {
  state_id: string;
  state_name: string;
  stats: StateStatistics | null;
}

export interface ModuleRow {
  name: string;
  resource_count: number;
  instance_count: number;
}

const MOST_RECENT = 5000;
/** Another one after every change of the row, whoever made it. */
const REVISION = "g.version || ' ' || g.xmin";

/** Summaries read the numbers each write keeps with its state, never the instances. */
@Injectable()
export class SummaryQueries {
  /** A few kilobytes each. */
  private readonly recent = new Map<string, { revision: string; stats: StateStatistics }>();

  constructor(private readonly work: UnitOfWork) {}

  /** Numbers that were read before are only read again where a write has changed them. */
  async ofTenant(tenantId: string, stateId: string | undefined): Promise<StateStatisticsRow[]> {
    const rows = await this.work.query<{ state_id: string; state_name: string; revision: string | null }>(
      `SELECT s.id AS state_id, s.name AS state_name, ${REVISION} AS revision FROM states s LEFT JOIN state_graphs g ON g.state_id = s.id
       WHERE s.tenant_id = $1 AND ($2::uuid IS NULL OR s.id = $2) ORDER BY s.name, s.id`,
      [tenantId, stateId ?? null],
    );
    const known = new Map<string, StateStatistics>();
    for (const { state_id: id, revision } of rows) {
      const recent = this.recent.get(id);
      if (recent?.revision === revision) known.set(id, recent.stats);
    }
    const missing = rows.filter(({ state_id: id, revision }) => revision !== null && !known.has(id));
    for (const [id, stats] of await this.read(missing.map(({ state_id: id }) => id))) known.set(id, stats);
    return rows.map(({ state_id, state_name }) => ({
      state_id,
      state_name,
      stats: known.get(state_id) ?? null,
    }));
  }

  async ofState(stateId: string): Promise<StateSummaryView> {
    const stats = await this.statistics(stateId);
    const { instances = 0, resources = 0, modules = 0, providers = 0, edges = 0 } = stats ?? {};
    return { instances, resources, modules, providers, edges };
  }

  async typesOfState(stateId: string): Promise<Record<string, { instances: number }>> {
    const types = (await this.statistics(stateId))?.types ?? {};
    return Object.fromEntries(Object.entries(types).map(([type, { instances }]) => [type, { instances }]));
  }

  async modules(
    stateId: string,
    limit: number,
    page: string | undefined,
  ): Promise<{ rows: ModuleRow[]; next: string | undefined }> {
    const after = page === undefined ? null : decodeText(page);
    const rows = await this.work.query<ModuleRow>(
      `SELECT name, resource_count, instance_count FROM modules WHERE state_id = $1 AND ($2::text IS NULL OR name > $2::text) ORDER BY name LIMIT $3`,
      [stateId, after, limit + 1],
    );
    const kept = rows.slice(0, limit);
    return { rows: kept, next: rows.length > limit ? encodePageToken([kept.at(-1)?.name ?? '']) : undefined };
  }

  private async read(stateIds: readonly string[]): Promise<Map<string, StateStatistics>> {
    if (stateIds.length === 0) return new Map();
    const rows = await this.work.query<{ state_id: string; revision: string; stats: StateStatistics }>(
      `SELECT g.state_id, ${REVISION} AS revision, g.stats FROM state_graphs g WHERE g.state_id = ANY($1::uuid[])`,
      [stateIds],
    );
    for (const { state_id: id, revision, stats } of rows) {
      if (this.recent.size >= MOST_RECENT) this.recent.clear();
      this.recent.set(id, { revision, stats });
    }
    return new Map(rows.map(({ state_id: id, stats }) => [id, stats]));
  }

  private async statistics(stateId: string): Promise<StateStatistics | undefined> {
    const [row] = await this.work.query<{ stats: StateStatistics }>(
      'SELECT stats FROM state_graphs WHERE state_id = $1',
      [stateId],
    );
    return row?.stats;
  }
}

export function resourceTypes(rows: readonly StateStatisticsRow[]): ResourceTypeView[] {
  return rows.flatMap(({ state_id, state_name, stats }) =>
    Object.entries(stats?.types ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([type, { resources, instances }]) => ({
        state_id,
        state_name,
        type,
        resource_count: resources,
        instance_count: instances,
      })),
  );
}
