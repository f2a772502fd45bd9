import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Requires } from '../../access/index.js';
import { DeliveryListView } from '../dto/deliveries.dto.js';
import { ListQuery } from '../dto/repositories.dto.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { announcePages, listLimit } from '../repositories/keyset-page.js';
import { DeliveryQueries } from './deliveries.queries.js';

@ApiTags('code hosting')
@Controller('tenants/:tenantId/vcs-installations/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveryQueries,
    private readonly settings: VcsSettings,
  ) {}

  /** Lists what the webhooks of the tenant's installations delivered, newest first. */
  @Get()
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(200, DeliveryListView)
  @Refuses(400)
  async list(
    @Param('tenantId') tenantId: string,
    @Query() { page, limit }: ListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeliveryListView> {
    const found = await this.deliveries.list(tenantId.toLowerCase(), page, listLimit(limit));
    return {
      results: found.rows,
      ...announcePages(found, { request, response, uiBase: this.settings.uiBase }),
    };
  }
}
