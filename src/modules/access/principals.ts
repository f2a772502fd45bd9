import { Injectable } from '@nestjs/common';
import { hashOfSecret } from '../../platform/crypto/secrets.js';
import { Clock } from '../../platform/time/clock.js';
import { mask, union } from './capability.rules.js';
import type { Capability, Grants, Scope } from './grants.js';
import type { Principal } from './principal.js';
import type { TenantLookup } from './scope.rules.js';
import { type Origin, PrincipalQueries, scopeOfTenants, type UserAccessRow } from './principal.queries.js';
import { looksLikeToken, ServiceTokens, type TokenClaims } from './service-tokens.js';
import { TokenResolvers } from './token-resolvers.js';

type ActingCredential = Pick<Principal, 'kind' | 'credentialId'> & {
  claims?: Principal['claims'];
  limit?: Grants;
  tenantOf?: TenantLookup;
  /** the token ends with the key or session that it was made with, and is limited like it */
  madeWith?: Pick<Origin, 'credentialId' | 'epoch'>;
};

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
    return claims.use === 'session'
      ? this.ofSession(claims)
      : this.resolvers.find(claims.use)?.principalOf(claims);
  }

  /** For tokens that act for a user: what that user may do at this moment, cut down to `limit` when there is one. */
  async ofUser(userId: string, credential: ActingCredential): Promise<Principal | undefined> {
    const { kind, credentialId, limit, tenantOf, claims = {}, madeWith } = credential;
    const origin = madeWith && (await this.queries.origin({ ...madeWith, userId }));
    if (madeWith && !origin) return undefined;
    const groupRuleIds = origin?.rule_ids ?? [];
    const row = await this.queries.byUser(userId, groupRuleIds);
    if (!row) return undefined;
    const held = capabilitiesOf(row);
    const capabilities = limit ? mask(limit, held, tenantOf) : held;
    const stateBound = origin?.state_bound ?? false;
    return principal(row, { kind, credentialId, capabilities, claims, groupRuleIds, stateBound });
  }

  /** The most that any credential of a user allows: what counts when ranks are compared (interface.md 4.3, rule 2). */
  async heldBy(userId: string): Promise<Grants> {
    const row = await this.queries.byUserAndCredentials(userId, this.clock.now());
    return row ? capabilitiesOf(row) : {};
  }

  private async ofKey(credential: string): Promise<Principal | undefined> {
    const row = await this.queries.byKeyHash(hashOfSecret(credential));
    if (!row) return undefined;
    const capabilities = mask(row.capabilities, capabilitiesOf(row), (id) => row.state_tenants[id]);
    return principal(row, {
      kind: 'key',
      credentialId: `key:${row.key_id}`,
      capabilities,
      stateBound: row.state_bound,
      groupRuleIds: row.rule_ids,
    });
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

/** What a user holds: own grants, what group rules add, and for people the installation's defaults. */
export function capabilitiesOf(row: UserAccessRow): Grants {
  const own: Partial<Record<Capability, Scope>> = {};
  for (const [name, tenants] of Object.entries(row.own ?? {}))
    own[name as Capability] = scopeOfTenants(tenants);
  const fromRules = (row.rules ?? []).reduce<Grants>(union, {});
  return union(union(own, fromRules), row.user_type === 'user' ? row.defaults : {});
}

function principal(
  row: UserAccessRow,
  credential: Pick<Principal, 'kind' | 'credentialId' | 'capabilities'> &
    Partial<Pick<Principal, 'stateBound' | 'groupRuleIds' | 'claims'>>,
): Principal {
  return {
    userId: row.user_id,
    userName: row.user_name,
    userType: row.user_type,
    sessionEpoch: row.session_epoch,
    tenantIds: row.tenant_ids ?? [],
    stateBound: false,
    groupRuleIds: [],
    claims: {},
    ...credential,
  };
}
