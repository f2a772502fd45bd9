import { Injectable } from '@nestjs/common';
import { hashOfSecret } from '../../platform/crypto/secrets.js';
import { Clock } from '../../platform/time/clock.js';
import { mask, union } from './capability.rules.js';
import type { Capability, Grants, Scope } from './grants.js';
import type { Principal } from './principal.js';
import { isUnscoped, type TenantLookup } from './scope.rules.js';
import {
  type KeyAccessRow,
  type Origin,
  PrincipalQueries,
  scopeOfTenants,
  type UserAccessRow,
} from './principal.queries.js';
import { looksLikeToken, ServiceTokens, type TokenClaims } from './service-tokens.js';
import { type OriginLimits, TokenResolvers } from './token-resolvers.js';

type ActingCredential = Pick<Principal, 'kind' | 'credentialId'> & {
  claims?: Principal['claims'];
  limit?: Grants;
  tenantOf?: TenantLookup;
  /** no tenant but these, whatever the user is a member of */
  tenantCeiling?: readonly string[] | undefined;
  /** the token ends with the key or session that it was made with, and is limited like it */
  madeWith?: Pick<Origin, 'credentialId' | 'epoch'>;
};

const UNLIMITED: OriginLimits = { rule_ids: null, state_bound: false, tenant_ceiling: null };

/** Turns a credential into a principal: one indexed statement for each request, whatever the kind. */
@Injectable()
export class Principals {
  constructor(
    private readonly queries: PrincipalQueries,
    private readonly tokens: ServiceTokens,
    private readonly resolvers: TokenResolvers,
    private readonly clock: Clock,
  ) {}

  async ofCredential(credential: string): Promise<Principal | undefined> {
    if (!looksLikeToken(credential)) return this.ofKey(credential);
    const claims = await this.tokens.verify(credential);
    if (!claims) return undefined;
    return this.ofToken(claims);
  }

  /**
   * The same credential as it stands now, read by the transaction at hand; undefined once it has ended. A token that
   * has expired since the request came is as good as it was then.
   */
  async reload(principal: Principal): Promise<Principal | undefined> {
    if (principal.token) return this.ofToken(principal.token);
    const row = await this.queries.byKeyId(principal.credentialId.slice('key:'.length));
    return row && ofKeyRow(row);
  }

  /** Every live key of a user, as it stands now. */
  async ofKeyId(id: string): Promise<Principal | undefined> {
    const row = await this.queries.byKeyId(id);
    return row && ofKeyRow(row);
  }

  /** For tokens that act for a user: what that user may do at this moment, cut down to `limit` when there is one. */
  async ofUser(userId: string, credential: ActingCredential): Promise<Principal | undefined> {
    const { kind, credentialId, limit, tenantOf, claims = {}, madeWith } = credential;
    const origin = madeWith && (await this.originOf({ ...madeWith, userId }));
    if (madeWith && !origin) return undefined;
    const { rule_ids, state_bound: stateBound, tenant_ceiling, held = {} } = origin ?? UNLIMITED;
    const groupRuleIds = rule_ids ?? [];
    const row = await this.queries.byUser(userId, groupRuleIds);
    if (!row) return undefined;
    const all = union(capabilitiesOf(row), held);
    const capabilities = limit ? mask(limit, all, tenantOf) : all;
    const tenantCeiling = credential.tenantCeiling ?? tenant_ceiling ?? undefined;
    return principal(row, {
      kind,
      credentialId,
      capabilities,
      claims,
      groupRuleIds,
      stateBound,
      tenantCeiling,
    });
  }

  /** Of a key, a session, or a credential of another kind, as its resolver says. */
  private originOf(origin: Origin): Promise<OriginLimits | undefined> {
    const [kind = '', id = ''] = origin.credentialId.split(':');
    const resolver = this.resolvers.find(kind);
    return resolver?.originOf ? resolver.originOf(id) : this.queries.origin(origin);
  }

  /** The most that any credential of a user allows. */
  async heldBy(userId: string): Promise<Grants> {
    const row = await this.queries.byUserAndCredentials(userId, this.clock.now(), 'all');
    return row ? capabilitiesOf(row) : {};
  }

  /**
   * The same without what group rules of tenants add that the user does not belong to: what counts when ranks are
   * compared (interface.md 4.3, rule 2).
   */
  async rankOf(userId: string): Promise<Grants> {
    const row = await this.queries.byUserAndCredentials(userId, this.clock.now(), 'of own tenants');
    return row ? capabilitiesOf(row) : {};
  }

  private async ofKey(credential: string): Promise<Principal | undefined> {
    const row = await this.queries.byKeyHash(hashOfSecret(credential));
    return row && ofKeyRow(row);
  }

  private async ofToken(claims: TokenClaims): Promise<Principal | undefined> {
    const found =
      claims.use === 'session'
        ? await this.ofSession(claims)
        : await this.resolvers.find(claims.use)?.principalOf(claims);
    return found && { ...found, token: claims };
  }

  private async ofSession(claims: TokenClaims): Promise<Principal | undefined> {
    const row = await this.queries.bySession(claims.sub, claims.jti);
    // A changed password or a deleted user moves the epoch on and so ends every session at once.
    if (!row || row.session_epoch !== claims['epoch']) return undefined;
    const credentialId = `session:${claims.jti}`;
    const groupRuleIds = row.rule_ids ?? [];
    return principal(row, { kind: 'session', credentialId, capabilities: capabilitiesOf(row), groupRuleIds });
  }
}

function ofKeyRow(row: KeyAccessRow): Principal {
  return principal(row, {
    kind: 'key',
    credentialId: `key:${row.key_id}`,
    capabilities: mask(row.capabilities, capabilitiesOf(row), (id) => row.state_tenants[id]),
    stateBound: row.state_bound,
    groupRuleIds: row.rule_ids,
    tenantCeiling: row.tenant_ceiling ?? undefined,
  });
}

/** What a user holds: own grants, what group rules add, and for people the installation's defaults. */
export function capabilitiesOf(row: UserAccessRow): Grants {
  return union(grantsWithoutRules(row), (row.rules ?? []).reduce<Grants>(union, {}));
}

function grantsWithoutRules(row: UserAccessRow): Grants {
  const own: Partial<Record<Capability, Scope>> = {};
  for (const [name, tenants] of Object.entries(row.own ?? {}))
    own[name as Capability] = scopeOfTenants(tenants);
  return union(own, row.user_type === 'user' ? row.defaults : {});
}

function principal(
  row: UserAccessRow,
  credential: Pick<Principal, 'kind' | 'credentialId' | 'capabilities'> &
    Partial<Pick<Principal, 'stateBound' | 'groupRuleIds' | 'claims' | 'tenantCeiling'>>,
): Principal {
  const isReached = (id: string) => credential.tenantCeiling?.includes(id) ?? true;
  const { admin } = grantsWithoutRules(row);
  const administered = credential.capabilities.admin?.tenants ?? [];
  return {
    userId: row.user_id,
    userName: row.user_name,
    userType: row.user_type,
    sessionEpoch: row.session_epoch,
    tenantIds: (row.tenant_ids ?? []).filter(isReached),
    homeTenantIds: (row.home_tenant_ids ?? []).filter(isReached),
    ruleAdminTenantIds: isUnscoped(admin) ? [] : administered.filter((id) => !admin?.tenants?.includes(id)),
    tenantCeiling: undefined,
    stateBound: false,
    groupRuleIds: [],
    claims: {},
    ...credential,
  };
}
