import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AnswersPage, Refuses, TokenPage } from '../../../platform/http/index.js';
import { Requires } from '../../access/index.js';
import { DeliveryListView } from '../dto/deliveries.dto.js';
import { ListQuery } from '../dto/repositories.dto.js';
import { listLimit } from '../repositories/keyset-page.js';
import { DeliveryQueries } from './deliveries.queries.js';

@ApiTags('code hosting')
@Controller('tenants/:tenantId/vcs-installations/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveryQueries) {}

  /** Lists what the webhooks of the tenant's installations delivered, newest first. */
  @Get()
  @Requires('admin', { tenant: 'tenantId' })
  @AnswersPage(DeliveryListView)
  @Refuses(400)
  async list(
    @Param('tenantId') tenantId: string,
    @Query() { page, limit }: ListQuery,
  ): Promise<TokenPage<DeliveryListView>> {
    const found = await this.deliveries.list(tenantId.toLowerCase(), page, listLimit(limit));
    return new TokenPage({ results: found.rows }, found);
  }
}
