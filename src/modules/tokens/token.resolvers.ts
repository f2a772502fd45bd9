import { IsNull } from 'typeorm';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  type Principal,
  Principals,
  ResolvesToken,
  type TokenClaims,
  type TokenResolver,
} from '../access/index.js';
import { RefreshTokenEntity } from './entities/refresh-token.entity.js';

/** A live refresh token: its row is there and not revoked, and so is its owner. */
@ResolvesToken('refresh')
export class RefreshTokenResolver implements TokenResolver {
  constructor(
    private readonly principals: Principals,
    private readonly work: UnitOfWork,
  ) {}

  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    const token = await this.work.manager.findOneBy(RefreshTokenEntity, {
      id: claims.jti,
      revokedAt: IsNull(),
    });
    if (!token || token.ownerId !== claims.sub) return undefined;
    return this.principals.ofUser(claims.sub, {
      kind: 'refresh',
      credentialId: `refresh:${token.id}`,
      limit: {},
      claims: { capabilities: token.capabilities, refresh_token_id: token.id },
    });
  }
}

/** An access token opens nothing by the user's own grants; what it is good for stands in its claims. */
@ResolvesToken('access')
export class AccessTokenResolver implements TokenResolver {
  constructor(private readonly principals: Principals) {}

  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    return this.principals.ofUser(claims.sub, {
      kind: 'access',
      credentialId: `access:${claims.jti}`,
      limit: {},
      claims: { capabilities: claims['capabilities'] },
    });
  }
}
