import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { decodePageToken, encodePageToken } from '../../platform/http/index.js';
import type { ResourceTypeView, StateSummaryView } from './dto/graph.dto.js';
import type { StateStatistics } from './graph-statistics.rules.js';

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

/** Summaries read the numbers each write keeps with its state, never the instances. */
@Injectable()
export class SummaryQueries {
  constructor(private readonly work: UnitOfWork) {}

  async ofTenant(tenantId: string, stateId: string | undefined): Promise<StateStatisticsRow[]> {
    return this.work.query<StateStatisticsRow>(
      `SELECT s.id AS state_id, s.name AS state_name, g.stats FROM states s LEFT JOIN state_graphs g ON g.state_id = s.id
       WHERE s.tenant_id = $1 AND ($2::uuid IS NULL OR s.id = $2) ORDER BY s.name, s.id`,
      [tenantId, stateId ?? null],
    );
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
    const after = page === undefined ? null : decodePageToken(page, 1)[0];
    const rows = await this.work.query<ModuleRow>(
      `SELECT name, resource_count, instance_count FROM modules WHERE state_id = $1 AND ($2::text IS NULL OR name > $2::text) ORDER BY name LIMIT $3`,
      [stateId, after, limit + 1],
    );
    const kept = rows.slice(0, limit);
    return { rows: kept, next: rows.length > limit ? encodePageToken([kept.at(-1)?.name ?? '']) : undefined };
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
