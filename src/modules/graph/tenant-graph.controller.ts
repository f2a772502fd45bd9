import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { RequiresMember } from '../access/index.js';
import { ResourceTypeListView, TenantSummaryQuery, TenantSummaryView } from './dto/graph.dto.js';
import { TenantSummaries } from './summaries/tenant-summaries.service.js';

@ApiTags('graph')
@Controller('tenants/:tenantId')
export class TenantGraphController {
  constructor(private readonly summaries: TenantSummaries) {}

  /** Summarises the graph of a tenant's states, or of one of them. */
  @Get('summary')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, TenantSummaryView)
  @Refuses(400)
  async summary(
    @Param('tenantId') tenantId: string,
    @Query() query: TenantSummaryQuery,
  ): Promise<TenantSummaryView> {
    return this.summaries.summary(tenantId, query.state_id);
  }

  /** Counts resources and instances by type and state. */
  @Get('resource-types')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, ResourceTypeListView)
  @Refuses(400)
  async resourceTypes(
    @Param('tenantId') tenantId: string,
    @Query() query: TenantSummaryQuery,
  ): Promise<ResourceTypeListView> {
    return this.summaries.resourceTypes(tenantId, query.state_id);
  }
}
