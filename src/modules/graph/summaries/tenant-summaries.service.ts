import { Injectable } from '@nestjs/common';
import { stateErrors } from '../../states/index.js';
import type { ResourceTypeListView, TenantSummaryView } from '../dto/graph.dto.js';
import { resourceTypes, type StateStatisticsRow, SummaryQueries } from './summaries.queries.js';
import { tenantSummary } from './tenant-summary.rules.js';

@Injectable()
export class TenantSummaries {
  constructor(private readonly queries: SummaryQueries) {}

  async summary(tenantId: string, stateId: string | undefined): Promise<TenantSummaryView> {
    return tenantSummary(await this.rows(tenantId, stateId));
  }

  async resourceTypes(tenantId: string, stateId: string | undefined): Promise<ResourceTypeListView> {
    const types = resourceTypes(await this.rows(tenantId, stateId));
    return {
      resource_types: types,
      total_resources: types.reduce((sum, type) => sum + type.resource_count, 0),
      total_instances: types.reduce((sum, type) => sum + type.instance_count, 0),
    };
  }

  /** A state of another tenant is not there. */
  private async rows(tenantId: string, stateId: string | undefined): Promise<StateStatisticsRow[]> {
    const rows = await this.queries.ofTenant(tenantId, stateId);
    if (stateId !== undefined && rows.length === 0) throw stateErrors.STATE_NOT_FOUND();
    return rows;
  }
}
