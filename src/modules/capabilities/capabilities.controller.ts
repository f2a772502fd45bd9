import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Caller, type Principal, Requires, SignedIn } from '../access/index.js';
import { CapabilityDefaults } from './capability-defaults.js';
import {
  CapabilitiesView,
  CreateGroupRuleBody,
  GroupRuleIdView,
  GroupRuleListView,
  type GroupRuleView,
  ReplaceDefaultsBody,
} from './dto/capabilities.dto.js';
import type { GroupRuleEntity } from './entities/group-rule.entity.js';
import { GroupRules } from './group-rules.store.js';

@ApiTags('capabilities')
@Controller()
export class CapabilitiesController {
  constructor(
    private readonly defaults: CapabilityDefaults,
    private readonly rules: GroupRules,
  ) {}

  /** Shows the capabilities that new users receive. */
  @Get('caps/default')
  @SignedIn()
  @Answers(200, CapabilitiesView)
  async currentDefaults(): Promise<CapabilitiesView> {
    return { capabilities: await this.defaults.current() };
  }

  /** Replaces the capabilities that new users receive. */
  @Put('caps/default')
  @Requires('admin', 'installation')
  @Answers(200, CapabilitiesView)
  @Refuses(400)
  async replaceDefaults(
    @Caller() caller: Principal,
    @Body() body: ReplaceDefaultsBody,
  ): Promise<CapabilitiesView> {
    return { capabilities: await this.defaults.replace(caller, body.capabilities) };
  }

  /** Lists a tenant's group rules. */
  @Get('tenants/:tenantId/caps/group-rules')
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, GroupRuleListView)
  async listRules(@Param('tenantId') tenantId: string): Promise<GroupRuleListView> {
    return { rules: (await this.rules.list(tenantId)).map(toRuleView) };
  }

  /** Adds a group rule: users of matching groups receive its grant. */
  @Post('tenants/:tenantId/caps/group-rules')
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, GroupRuleIdView)
  @Refuses(400, 422)
  async createRule(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: CreateGroupRuleBody,
  ): Promise<GroupRuleIdView> {
    return { id: (await this.rules.create(caller, tenantId, body)).id };
  }

  /** Deletes a group rule and withdraws its grant. */
  @Delete('tenants/:tenantId/caps/group-rules/:ruleId')
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, GroupRuleIdView)
  async deleteRule(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('ruleId') ruleId: string,
  ): Promise<GroupRuleIdView> {
    await this.rules.delete(caller, tenantId, ruleId);
    return { id: ruleId };
  }
}

function toRuleView(rule: GroupRuleEntity): GroupRuleView {
  const { id, condition, grant, description, createdAt, createdBy } = rule;
  return { id, condition, grant, description, created_at: createdAt.toISOString(), created_by: createdBy };
}
