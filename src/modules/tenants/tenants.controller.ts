import { Body, Controller, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Caller, type Principal, Requires, SignedIn } from '../access/index.js';
import { TenantListView, TenantNameBody, TenantView } from './dto/tenant.dto.js';
import type { TenantEntity } from './entities/tenant.entity.js';
import { TenantsService } from './tenants.service.js';

@ApiTags('tenants')
@Controller()
export class TenantsController {
  constructor(private readonly tenants: TenantsService) {}

  /** Lists the tenants that the caller belongs to. */
  @Get('user/tenants')
  @SignedIn()
  @Answers(200, TenantListView)
  async listOfCaller(@Caller() caller: Principal): Promise<TenantListView> {
    return { results: (await this.tenants.ofUser(caller.userId)).map(toTenantView) };
  }

  /** Creates a tenant. */
  @Post('tenants')
  @Requires('admin', 'installation')
  @Answers(201, TenantView)
  @Refuses(400, 409)
  async create(@Caller() caller: Principal, @Body() body: TenantNameBody): Promise<TenantView> {
    return toTenantView(await this.tenants.create(caller, body.name));
  }

  /** Renames a tenant. */
  @Put('tenants/:tenantId')
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, TenantView)
  @Refuses(400, 409)
  async rename(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: TenantNameBody,
  ): Promise<TenantView> {
    return toTenantView(await this.tenants.rename(caller, tenantId, body.name));
  }
}

function toTenantView({ id, name }: TenantEntity): TenantView {
  return { id, name };
}
