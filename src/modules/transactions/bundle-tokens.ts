import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  AccessDecisions,
  type Principal,
  Principals,
  ResolvesToken,
  ServiceTokens,
  type TokenClaims,
  type TokenResolver,
} from '../access/index.js';

import { TransactionEntity } from './entities/transaction.entity.js';

/** What a runner's token is good for: one step of one transaction. */
export interface BundleClaims {
  task: string;
  tx: string;
  kind: 'preview' | 'commit';
}

const LIFETIME_SECONDS = 24 * 3600;

/** Tokens of the machines that run Terraform for a transaction. They open the routes below `actuator` and nothing else. */
@ResolvesToken('bundle')
@Injectable()
export class BundleTokens implements TokenResolver {
  constructor(
    private readonly work: UnitOfWork,
    private readonly principals: Principals,
    private readonly tokens: ServiceTokens,
    private readonly access: AccessDecisions,
  ) {}

  async sign(caller: Principal, { task, tx, kind }: BundleClaims): Promise<string> {
    const madeWith = { credential: caller.credentialId, epoch: caller.sessionEpoch };
    return this.tokens.sign({
      use: 'bundle',
      sub: caller.userId,
      lifetimeSeconds: LIFETIME_SECONDS,
      claims: { task, tx, kind, ...madeWith },
    });
  }

  /** It ends with the credential that the step was begun with. */
  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    const { task, tx, kind, credential, epoch } = claims as unknown as BundleClaims & {
      credential: string;
      epoch: number;
    };
    const known = await this.work.manager.findOne(TransactionEntity, {
      select: { tenantId: true },
      where: { id: tx },
    });
    const caller = await this.principals.ofUser(claims.sub, {
      kind: 'bundle',
      credentialId: `bundle:${tx}`,
      madeWith: { credentialId: credential, epoch },
      claims: { task, tx, kind },
    });
    if (!known || !caller) return undefined;
    // Who has left the tenant since reads no more of it.
    const isThere = this.access.isMember(caller, known.tenantId) || caller.tenantIds.includes(known.tenantId);
    if (!isThere) return undefined;
    return { ...caller, capabilities: {} };
  }
}

/** The claims of a caller that came with such a token. */
export function bundleOf(caller: Principal): BundleClaims {
  return caller.claims as unknown as BundleClaims;
}
