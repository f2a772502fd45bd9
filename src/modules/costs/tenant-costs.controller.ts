import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Requires, RequiresMember } from '../access/index.js';
import {
  CostHistoryQuery,
  CostHistoryView,
  TagKeysView,
  TenantCostsQuery,
  TenantCostsView,
  UsageView,
} from './dto/cost.dto.js';
import { CostHistory } from './reports/cost-history.queries.js';
import { TenantCosts } from './reports/tenant-costs.queries.js';
import { UsageService } from './upkeep/usage.service.js';

@ApiTags('costs')
@Controller('tenants/:tenantId/costs')
export class TenantCostsController {
  constructor(
    private readonly costs: TenantCosts,
    private readonly history: CostHistory,
    private readonly usage: UsageService,
  ) {}

  /** Shows what all states of a tenant cost, by provider, type, state and, with `tag_key`, by tag. */
  @Get()
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, TenantCostsView)
  @Refuses(400)
  async find(
    @Param('tenantId') tenantId: string,
    @Query() query: TenantCostsQuery,
  ): Promise<TenantCostsView> {
    return this.costs.of(tenantId, query);
  }

  /** Shows what all states of a tenant cost at the end of each day. */
  @Get('history')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, CostHistoryView)
  @Refuses(400)
  async findHistory(
    @Param('tenantId') tenantId: string,
    @Query() query: CostHistoryQuery,
  ): Promise<CostHistoryView> {
    return this.history.of(tenantId, query);
  }

  /** Lists the tags that costs can be grouped by. */
  @Get('tag-keys')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, TagKeysView)
  async tagKeys(@Param('tenantId') tenantId: string): Promise<TagKeysView> {
    return { tag_keys: await this.costs.tagKeys(tenantId) };
  }

  /** Shows the tenant's default usage, which prices components that a state's own usage does not name. */
  @Get('usage')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, UsageView)
  async findUsage(@Param('tenantId') tenantId: string): Promise<UsageView> {
    return this.usage.find({ tenantId });
  }

  /** Replaces the usage of the tenant; all its states are then priced again. */
  @Put('usage')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(200, UsageView)
  @Refuses(400)
  async saveUsage(@Param('tenantId') tenantId: string, @Body() body: UsageView): Promise<UsageView> {
    return this.usage.save({ tenantId }, body);
  }

  /** Deletes the usage of the tenant; all its states are then priced again. */
  @Delete('usage')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(204)
  async deleteUsage(@Param('tenantId') tenantId: string): Promise<void> {
    await this.usage.delete({ tenantId });
  }
}
