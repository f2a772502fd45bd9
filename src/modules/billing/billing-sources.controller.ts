import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Caller, type Principal, Requires } from '../access/index.js';
import {
  BillingSourceListView,
  BillingSourceView,
  CreateBillingSourceBody,
  UpdateBillingSourceBody,
} from './dto/billing-source.dto.js';
import { toBillingSourceView } from './sources/billing-source.view.js';
import { BillingSourcesService } from './sources/billing-sources.service.js';

@ApiTags('billing')
@Controller('tenants/:tenantId/billing-sources')
export class BillingSourcesController {
  constructor(private readonly sources: BillingSourcesService) {}

  /** Lists the billing sources of a tenant, with the status of their latest sync. */
  @Get()
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(200, BillingSourceListView)
  async list(@Param('tenantId') tenantId: string): Promise<BillingSourceListView> {
    return { results: (await this.sources.list(tenantId)).map(toBillingSourceView) };
  }

  /** Creates a billing source. The server reads it with the operator's credentials, where the operator allows that. */
  @Post()
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(201, BillingSourceView)
  @Refuses(400, 409)
  async create(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: CreateBillingSourceBody,
  ): Promise<BillingSourceView> {
    return toBillingSourceView(await this.sources.create(caller, tenantId, body));
  }

  /** Changes a billing source; omitted fields stay. Loaded rows stay until the next sync. */
  @Put(':billingSourceId')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(200, BillingSourceView)
  @Refuses(400, 409)
  async update(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('billingSourceId') id: string,
    @Body() body: UpdateBillingSourceBody,
  ): Promise<BillingSourceView> {
    return toBillingSourceView(await this.sources.update(caller, { tenantId, id }, body));
  }

  /** Deletes a billing source and its loaded rows. */
  @Delete(':billingSourceId')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(204)
  async remove(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('billingSourceId') id: string,
  ): Promise<void> {
    await this.sources.delete(caller, { tenantId, id });
  }
}
