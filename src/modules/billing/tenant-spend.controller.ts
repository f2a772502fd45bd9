import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, AnswersPage, Refuses, TokenPage } from '../../platform/http/index.js';
import { RequiresMember } from '../access/index.js';
import { AttributionView, ListUnmanagedQuery, SpendQuery, UnmanagedListView } from './dto/spend.dto.js';
import { SpendQueries } from './spend/spend.queries.js';

@ApiTags('billing')
@Controller('tenants/:tenantId/costs')
export class TenantSpendController {
  constructor(private readonly spend: SpendQueries) {}

  /** Splits what was billed to a tenant: attributed to instances, unmanaged, unallocated. */
  @Get('attribution')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, AttributionView)
  @Refuses(400)
  async attribution(
    @Param('tenantId') tenantId: string,
    @Query() query: SpendQuery,
  ): Promise<AttributionView> {
    return this.spend.attribution(tenantId, query.currency);
  }

  /** Lists billed resources that no state of the tenant holds, dearest first. */
  @Get('unmanaged')
  @RequiresMember({ tenant: 'tenantId' })
  @AnswersPage(UnmanagedListView)
  @Refuses(400)
  async unmanaged(
    @Param('tenantId') tenantId: string,
    @Query() query: ListUnmanagedQuery,
  ): Promise<TokenPage<UnmanagedListView>> {
    const list = await this.spend.unmanaged(tenantId, query);
    return new TokenPage(list, { next: list.next_page });
  }
}
