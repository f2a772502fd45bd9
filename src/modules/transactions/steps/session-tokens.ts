import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  type Grants,
  type Principal,
  Principals,
  ResolvesToken,
  ServiceTokens,
  type TokenClaims,
  type TokenResolver,
} from '../../access/index.js';

interface SessionClaims {
  tx: string;
  tenant: string;
  /** of a token from before they were kept with the transaction */
  grants?: Grants;
  credential: string;
  epoch: number;
}

/** Tokens of session transactions: what a token allows is stored with the transaction. */
@ResolvesToken('tx')
@Injectable()
export class SessionTokens implements TokenResolver {
  constructor(
    private readonly work: UnitOfWork,
    private readonly principals: Principals,
    private readonly tokens: ServiceTokens,
  ) {}

  async sign(
    { userId, credentialId, sessionEpoch }: Principal,
    session: Pick<SessionClaims, 'tx' | 'tenant'>,
  ): Promise<string> {
    const claims: SessionClaims = { ...session, credential: credentialId, epoch: sessionEpoch };
    return this.tokens.sign({ use: 'tx', sub: userId, claims: { ...claims } });
  }

  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    const { tx, tenant, grants: claimed, credential, epoch } = claims as unknown as SessionClaims;
    const [open] = await this.work.query<{ grants: Grants | null }>(
      "SELECT grants FROM transactions WHERE id = $1 AND created_by = $2 AND kind = 'session' AND state = 'open'",
      [tx, claims.sub],
    );
    const grants = open?.grants ?? claimed;
    if (!open || !grants) return undefined;
    const states = new Set(Object.values(grants).flatMap((scope) => Object.keys(scope.states ?? {})));
    const principal = await this.principals.ofUser(claims.sub, {
      kind: 'tx',
      credentialId: `tx:${tx}`,
      limit: grants,
      // Revoking the key that made a session ends the session.
      madeWith: { credentialId: credential, epoch },
      tenantOf: (id) => (states.has(id) ? tenant : undefined),
      claims: { tx },
    });
    const inTenant = (ids: readonly string[]) => ids.filter((id) => id === tenant);
    return (
      principal && {
        ...principal,
        tenantIds: inTenant(principal.tenantIds),
        homeTenantIds: inTenant(principal.homeTenantIds),
      }
    );
  }
}
