import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiExtraModels, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, SignedIn } from '../../access/index.js';
import {
  ConnectableGroupView,
  GroupTokenBody,
  GroupWebhookView,
  InstallationListView,
  NoContentView,
} from '../dto/installations.dto.js';
import { vcsErrors } from '../vcs.errors.js';
import { GroupIdParam } from './group-id.param.js';
import { GroupsService } from './groups.service.js';
import { toInstallationView } from './installation.view.js';
import { InstallationLists } from './installation-lists.service.js';

const whileEnabled = OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED);
const GROUP_ID = { name: 'installationId', type: 'integer' as const, description: 'numeric id of the group' };

@ApiTags('code hosting')
@ApiExtraModels(ConnectableGroupView)
@Controller()
export class GroupsController {
  constructor(
    private readonly groups: GroupsService,
    private readonly lists: InstallationLists,
  ) {}

  /** Lists the installations of the app that are linked to the caller's tenants. */
  @Get('user/github/installations')
  @SignedIn()
  @Answers(200, InstallationListView)
  async listGithub(@Caller() caller: Principal): Promise<InstallationListView> {
    return { installations: (await this.lists.listOfCaller(caller, 'github')).map(toInstallationView) };
  }

  /** Lists the groups that are linked to the caller's tenants. */
  @Get('gitlab/installations')
  @SignedIn()
  @Answers(200, InstallationListView)
  async listGitlab(@Caller() caller: Principal): Promise<InstallationListView> {
    return { installations: (await this.lists.listOfCaller(caller, 'gitlab')).map(toInstallationView) };
  }

  /** Lists the groups at the provider in which the caller is Maintainer or Owner, by name. */
  @Get('gitlab/groups')
  @SignedIn()
  @Answers(200, { type: 'array', items: { $ref: getSchemaPath(ConnectableGroupView) } })
  @Refuses(403, 502, 503)
  async listConnectable(@Caller() caller: Principal): Promise<ConnectableGroupView[]> {
    return this.groups.listMaintained(caller);
  }

  /** Shows a group's webhook address and secret to its Maintainers, and registers the group when it is new. */
  @Get('gitlab/installations/:installationId/webhook')
  @SignedIn()
  @whileEnabled
  @ApiParam(GROUP_ID)
  @Answers(200, GroupWebhookView)
  @Refuses(400, 403, 502, 503)
  async showWebhook(
    @Caller() caller: Principal,
    @Param('installationId', GroupIdParam) groupId: string,
  ): Promise<GroupWebhookView> {
    const { installation, secret } = await this.groups.showWebhook(caller, groupId);
    return { state: installation.state, webhook_secret: secret, webhook_url: this.groups.webhookUrl };
  }

  /** Sets the token with which the provider is called; for Maintainers of the group. */
  @Put('gitlab/installations/:installationId/access-token')
  @SignedIn()
  @whileEnabled
  @ApiParam(GROUP_ID)
  @Answers(200, NoContentView)
  @Refuses(400, 403, 502, 503)
  async replaceToken(
    @Caller() caller: Principal,
    @Param('installationId', GroupIdParam) groupId: string,
    @Body() body: GroupTokenBody,
  ): Promise<NoContentView> {
    await this.groups.replaceToken(caller, groupId, body.access_token);
    return {};
  }
}
