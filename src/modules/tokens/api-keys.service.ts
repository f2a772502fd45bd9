import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { hashOfSecret, Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import { Clock } from '../../platform/time/clock.js';
import {
  Administration,
  type Grants,
  grantsRefusal,
  isStateBound,
  mask,
  parseGrants,
  type Principal,
  ScopeResolvers,
  scopeOf,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import {
  GroupRulesReduced,
  LOSES_RULES,
  reductionOf,
  REMAINING_RULES,
  tenantsOfStates,
} from '../capabilities/index.js';
import { ApiKeyQueries } from './api-keys.queries.js';
import { ApiKeyEntity } from './entities/api-key.entity.js';
import { tokenErrors } from './token.errors.js';
import { isUuid } from '../../platform/text/uuid.js';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly queries: ApiKeyQueries,
    private readonly scopes: ScopeResolvers,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  @HandlesEvent(GroupRulesReduced)
  async reduceRules(reduced: GroupRulesReduced): Promise<void> {
    await this.work.query(
      `UPDATE api_keys SET rule_ids = ${REMAINING_RULES} WHERE owner_id = $1 AND ${LOSES_RULES}`,
      reductionOf(reduced),
    );
  }

  /** A key of the caller's own. It never exceeds the credential that makes it; answers the key, once. */
  async create(caller: Principal, name: string, requested: unknown): Promise<string> {
    const parsed = requested === undefined ? undefined : parseGrants(requested);
    if (requested !== undefined && !parsed)
      throw httpErrors.INVALID_REQUEST(`capabilities ${grantsRefusal(requested)}`);
    return this.administration.change(caller, async (current) => {
      if (!scopeOf(current.capabilities, 'access-token-create')) throw httpErrors.FORBIDDEN();
      const wanted = parsed ?? current.capabilities;
      const stateTenants = await tenantsOfStates(this.scopes, wanted, current.capabilities);
      const known = (id: string) => stateTenants[id];
      return this.issue(current, {
        ownerId: current.userId,
        name,
        capabilities: mask(existing(wanted, known), current.capabilities, known),
        // What was asked for decides, not what is left of it: a key that reads single states never becomes one that reads all.
        stateBound: current.stateBound || (parsed !== undefined && isStateBound(parsed)),
        stateTenants,
        ruleIds: current.groupRuleIds,
        tenantCeiling: current.tenantCeiling && [...current.tenantCeiling],
      });
    });
  }

  /** Joins the unit of work under way, if any. */
  async issue(
    caller: Principal,
    key: Pick<ApiKeyEntity, 'ownerId' | 'name' | 'capabilities' | 'stateBound' | 'stateTenants'> & {
      ruleIds: readonly string[];
      tenantCeiling?: string[] | undefined;
    },
    tenantId?: string,
  ): Promise<string> {
    const token = this.secrets.token(32);
    await this.work.run(async () => {
      const entity = this.work.manager.create(ApiKeyEntity, {
        ...key,
        ruleIds: [...key.ruleIds],
        tenantCeiling: key.tenantCeiling ?? null,
        tokenHash: hashOfSecret(token),
        createdAt: this.clock.now(),
        revokedAt: null,
      });
      await this.work.manager.save(entity);
      const { name, ownerId, capabilities } = key;
      await this.audit.record({
        actor: caller,
        action: 'key.create',
        objectType: 'key',
        objectId: entity.id,
        ...(tenantId === undefined ? {} : { tenantId }),
        data: { name, owner_id: ownerId, capabilities },
      });
    });
    return token;
  }

  /** One's own, or one of somebody whom the caller's grant reaches; any other key does not exist. */
  async revoke(caller: Principal, id: string | undefined): Promise<string> {
    return this.administration.change(caller, async (current) => {
      const key = isUuid(id)
        ? await this.work.manager.findOne(ApiKeyEntity, {
            where: { id, revokedAt: IsNull() },
            lock: { mode: 'for_no_key_update' },
          })
        : null;
      if (!key || !(await this.queries.isVisible(key.id, current))) throw tokenErrors.TOKEN_NOT_FOUND();
      await this.administration.waitForWritesOf(key.ownerId);
      await this.work.manager.update(ApiKeyEntity, { id: key.id }, { revokedAt: this.clock.now() });
      await this.audit.record({
        actor: current,
        action: 'key.revoke',
        objectType: 'key',
        objectId: key.id,
        data: { name: key.name, owner_id: key.ownerId },
      });
      return key.id;
    });
  }
}

/** A scope on an unknown state grants nothing. */
function existing(grants: Grants, tenantOf: (id: string) => string | undefined): Grants {
  const entries = Object.entries(grants).map(([name, scope]) => {
    const states = Object.entries(scope.states ?? {}).filter(([id]) => tenantOf(id) !== undefined);
    return [name, scope.states === undefined ? scope : { ...scope, states: Object.fromEntries(states) }];
  });
  return Object.fromEntries(entries) as Grants;
}
