import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { Events } from '../../platform/events/index.js';
import { Clock } from '../../platform/time/clock.js';
import {
  Administration,
  canonical,
  type Grants,
  grantsRefusal,
  parseGrants,
  type Principal,
  ScopeResolvers,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import { capabilityErrors } from './capability.errors.js';
import type { CreateGroupRuleBody } from './dto/capabilities.dto.js';
import { GroupRuleEntity } from './entities/group-rule.entity.js';
import { matches, parseCondition } from './group-condition.rules.js';
import { GroupRulesReduced } from './group-rules-reduced.event.js';
import { judgeGroupGrant } from './group-grant.rules.js';
import { isUuid } from '../../platform/text/uuid.js';

@Injectable()
export class GroupRules {
  constructor(
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly audit: Audit,
    private readonly events: Events,
    private readonly scopes: ScopeResolvers,
    private readonly clock: Clock,
  ) {}

  async list(tenantId: string): Promise<GroupRuleEntity[]> {
    return this.work.manager.find(GroupRuleEntity, {
      where: { tenantId, deletedAt: IsNull() },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  async create(caller: Principal, tenantId: string, body: CreateGroupRuleBody): Promise<GroupRuleEntity> {
    const condition = parseCondition(body.condition);
    if (!condition)
      throw httpErrors.INVALID_REQUEST('condition must be {group}, {any: [...]} or {all: [...]}');
    const grant = await this.validGrant(tenantId, body.grant);
    return this.changeRules(caller, tenantId, async (current) => {
      const rule = this.work.manager.create(GroupRuleEntity, {
        tenantId,
        condition,
        grant,
        description: body.description ?? '',
        createdAt: this.clock.now(),
        createdBy: current.userId,
        deletedAt: null,
      });
      await this.work.manager.save(rule);
      await this.record(current, 'group-rule.create', rule);
      return rule;
    });
  }

  /** Keeps the row. The rule stops granting at once, also in open sessions. */
  async delete(caller: Principal, tenantId: string, id: string): Promise<void> {
    await this.changeRules(caller, tenantId, async (current) => {
      const rule = isUuid(id)
        ? await this.work.manager.findOneBy(GroupRuleEntity, { id, tenantId, deletedAt: IsNull() })
        : null;
      if (!rule) throw capabilityErrors.GROUP_RULE_NOT_FOUND();
      await this.work.manager.update(GroupRuleEntity, { id }, { deletedAt: this.clock.now() });
      await this.record(current, 'group-rule.delete', rule);
    });
  }

  /** The active rules of all tenants that a member of these groups meets. */
  async matching(groups: readonly string[]): Promise<string[]> {
    if (groups.length === 0) return [];
    const rules = await this.work.manager.findBy(GroupRuleEntity, { deletedAt: IsNull() });
    return rules.filter((rule) => matches(rule.condition, groups)).map((rule) => rule.id);
  }

  /** Ends what this tenant's rules gave to a user's sessions and keys; the next sign-in evaluates the rules again. */
  async withdraw(userId: string, tenantId: string): Promise<void> {
    const rules = await this.work.manager.find(GroupRuleEntity, {
      select: { id: true },
      where: { tenantId },
    });
    const lost = rules.map(({ id }) => id);
    await this.events.publish(new GroupRulesReduced(userId, lost, 'lost'));
  }

  /** After a sign-in: rules of groups that the user left end in all sessions and keys of the user. */
  async retain(userId: string, ruleIds: readonly string[]): Promise<void> {
    await this.events.publish(new GroupRulesReduced(userId, ruleIds, 'kept'));
  }

  private changeRules<T>(
    caller: Principal,
    tenantId: string,
    task: (current: Principal) => Promise<T>,
  ): Promise<T> {
    return this.administration.change(caller, task, {
      capability: 'admin',
      tenantId: tenantId.toLowerCase(),
    });
  }

  private async validGrant(tenantId: string, value: unknown): Promise<Grants> {
    const grant = parseGrants(value);
    if (!grant) throw httpErrors.INVALID_REQUEST(`grant ${grantsRefusal(value)}`);
    const tenants = await tenantsOfStates(this.scopes, grant);
    switch (judgeGroupGrant(grant, tenantId.toLowerCase(), (id) => tenants[id])) {
      case 'malformed':
        throw httpErrors.INVALID_REQUEST('grant must contain at least one capability');
      case 'beyond':
        throw capabilityErrors.GRANT_BEYOND_TENANT();
      case 'fine':
        return canonical(grant);
    }
  }

  private async record(caller: Principal, action: string, rule: GroupRuleEntity): Promise<void> {
    const { id, tenantId, condition, grant } = rule;
    await this.audit.record({
      actor: caller,
      action,
      objectType: 'group-rule',
      objectId: id,
      tenantId,
      data: { condition, grant },
    });
  }
}

/** The tenant of every state that grants name; unknown states are left out and so granted nothing. */
export async function tenantsOfStates(
  scopes: ScopeResolvers,
  ...grants: readonly Grants[]
): Promise<Record<string, string>> {
  const named = grants.flatMap((each) =>
    Object.values(each).flatMap(({ states = {} }) => Object.keys(states)),
  );
  return scopes.tenantsOf('state', [...new Set(named)]);
}
