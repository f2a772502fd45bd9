import { Injectable } from '@nestjs/common';
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
import { cutDown, parseTokenCapabilities, tokenCapabilitiesOf } from './token-capabilities.rules.js';
import { isUuid } from '../../platform/text/uuid.js';

/** Refresh tokens that were not revoked and whose owner is there, with what is left of their capabilities. */
@Injectable()
export class LiveRefreshTokens {
  constructor(
    private readonly principals: Principals,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Opens nothing by the owner's own grants: what the token is good for stands in the claims, cut down to what the owner
   * holds now.
   */
  async principalOf(
    refreshTokenId: unknown,
    { sub }: TokenClaims,
    credential: Pick<Principal, 'kind' | 'credentialId'>,
  ): Promise<Principal | undefined> {
    const token = isUuid(refreshTokenId)
      ? await this.work.manager.findOneBy(RefreshTokenEntity, { id: refreshTokenId, revokedAt: IsNull() })
      : null;
    if (!token || token.ownerId !== sub) return undefined;
    const tenantCeiling = token.tenantCeiling ?? undefined;
    const owner = await this.principals.ofUser(sub, { ...credential, tenantCeiling });
    if (!owner) return undefined;
    const held = tokenCapabilitiesOf({ ...owner, kind: 'session' });
    const capabilities = cutDown(parseTokenCapabilities(token.capabilities) ?? [], held);
    const claims = { capabilities, refresh_token_id: token.id, vcs: token.vcs };
    return { ...owner, capabilities: {}, claims };
  }
}

@ResolvesToken('refresh')
export class RefreshTokenResolver implements TokenResolver {
  constructor(private readonly live: LiveRefreshTokens) {}

  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    return this.live.principalOf(claims.jti, claims, {
      kind: 'refresh',
      credentialId: `refresh:${claims.jti}`,
    });
  }
}

/** An access token ends with its refresh token. */
@ResolvesToken('access')
export class AccessTokenResolver implements TokenResolver {
  constructor(private readonly live: LiveRefreshTokens) {}

  async principalOf(claims: TokenClaims): Promise<Principal | undefined> {
    return this.live.principalOf(claims['refresh_token_id'], claims, {
      kind: 'access',
      credentialId: `access:${claims.jti}`,
    });
  }
}
