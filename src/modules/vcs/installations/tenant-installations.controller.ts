import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, Requires, RequiresMember } from '../../access/index.js';
import {
  ChangeGroupBody,
  GroupView,
  NewGroupView,
  ProvisionGroupBody,
  TenantInstallationListView,
  TenantInstallationView,
} from '../dto/installations.dto.js';
import { vcsErrors } from '../vcs.errors.js';
import { toTenantInstallationView } from './installation.view.js';
import { TenantInstallationsService } from './tenant-installations.service.js';

const whileEnabled = OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED);

@ApiTags('code hosting')
@Controller('tenants/:tenantId/vcs-installations')
export class TenantInstallationsController {
  constructor(private readonly installations: TenantInstallationsService) {}

  /** Lists the installations that are linked to the tenant. */
  @Get()
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, TenantInstallationListView)
  async list(@Param('tenantId') tenantId: string): Promise<TenantInstallationListView> {
    return { results: (await this.installations.list(tenantId)).map(toTenantInstallationView) };
  }

  /** Connects a group: tries the token at the provider, and shows the webhook secret once. */
  @Post('gitlab')
  @Requires('admin', { tenant: 'tenantId' })
  @whileEnabled
  @Answers(201, NewGroupView)
  @Refuses(400, 409, 502, 503)
  async provision(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: ProvisionGroupBody,
  ): Promise<NewGroupView> {
    return this.installations.provision(caller, tenantId, body);
  }

  /** With a group's numeric id: changes its token or webhook secret. With an `installation_core_id`: links it. */
  @Put('gitlab/:id')
  @ApiParam({ name: 'id', type: String, description: 'numeric id of a group, or an `installation_core_id`' })
  @Requires('admin', { tenant: 'tenantId' })
  @whileEnabled
  @Answers(200, GroupView)
  @Refuses(400, 409, 502, 503)
  async changeOrLink(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('id') id: string,
    @Body() body: ChangeGroupBody,
  ): Promise<GroupView> {
    return this.installations.changeOrLinkGroup(caller, tenantId, id, body);
  }

  /** Links an installation of the app to the tenant. */
  @Put('github/:installationCoreId')
  @Requires('admin', 'installation')
  @whileEnabled
  @Answers(200, TenantInstallationView)
  @Refuses(404, 409, 503)
  async link(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('installationCoreId') id: string,
  ): Promise<TenantInstallationView> {
    return toTenantInstallationView(
      await this.installations.link(caller, tenantId, { provider: 'github', id }),
    );
  }

  /** Unlinks an installation: its queued runs end, its records stay. */
  @Delete(':provider/:installationCoreId')
  @ApiParam({ name: 'provider', enum: ['github', 'gitlab'], description: 'code host of the installation' })
  @Requires('admin', { tenant: 'tenantId' })
  @whileEnabled
  @Answers(204)
  @Refuses(503)
  async unlink(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('provider') provider: string,
    @Param('installationCoreId') id: string,
  ): Promise<void> {
    await this.installations.unlink(caller, tenantId, { provider, id });
  }
}
