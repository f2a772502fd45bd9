import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { Answers, nextPageLink, Refuses } from '../../platform/http/index.js';
import { RequiresMember } from '../access/index.js';
import { AttributionView, ListUnmanagedQuery, SpendQuery, UnmanagedListView } from './dto/spend.dto.js';
import { SpendQueries } from './spend/spend.queries.js';

@ApiTags('billing')
@Controller('tenants/:tenantId/costs')
export class TenantSpendController {
  constructor(
    private readonly config: Config,
    private readonly spend: SpendQueries,
  ) {}

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
  @Answers(200, UnmanagedListView)
  @Refuses(400)
  async unmanaged(
    @Param('tenantId') tenantId: string,
    @Query() query: ListUnmanagedQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UnmanagedListView> {
    const list = await this.spend.unmanaged(tenantId, query);
    if (list.next_page !== undefined)
      response.set('Link', nextPageLink(request, this.config.get('SERVICE_UI_BASE'), list.next_page));
    return list;
  }
}
