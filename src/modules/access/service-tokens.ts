import { Injectable } from '@nestjs/common';
import { decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { Clock } from '../../platform/time/clock.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { SigningKeys } from './signing-keys.js';

/** `use` says what a token is good for; a token of one use is never accepted as another. */
export type TokenClaims = JWTPayload & { use: string; sub: string; jti: string };

export interface TokenRequest {
  use: string;
  /** user id */
  sub: string;
  /** kept when the token has a row of its own; random otherwise */
  jti?: string;
  lifetimeSeconds?: number;
  claims?: Record<string, unknown>;
}

const ISSUER = 'infrastructure-state-service';

/** Signs and verifies the service's own JWTs (HS256): sessions, access and refresh tokens, transaction sessions. */
@Injectable()
export class ServiceTokens {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
  ) {}

  async sign(request: TokenRequest): Promise<string> {
    const key = await this.keys.newest();
    const issuedAt = Math.floor(this.clock.now().getTime() / 1000);
    const token = new SignJWT({ ...request.claims, use: request.use })
      .setProtectedHeader({ alg: 'HS256', kid: key.id })
      .setIssuer(ISSUER)
      .setSubject(request.sub)
      .setJti(request.jti ?? this.secrets.uuid())
      .setIssuedAt(issuedAt);
    if (request.lifetimeSeconds !== undefined) token.setExpirationTime(issuedAt + request.lifetimeSeconds);
    return token.sign(key.secret);
  }

  /** Verified claims, or undefined for whatever is not a live token of ours. */
  async verify(token: string): Promise<TokenClaims | undefined> {
    const id = keyIdOf(token);
    const key = id === undefined ? undefined : await this.keys.find(id);
    if (!key) return undefined;
    try {
      const { payload } = await jwtVerify(token, key.secret, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        currentDate: this.clock.now(),
      });
      return isTokenClaims(payload) ? payload : undefined;
    } catch {
      return undefined; // expired, forged or malformed: all the same to the caller
    }
  }
}

/** Three base64url parts: an API key never looks like that. */
export function looksLikeToken(credential: string): boolean {
  return credential.split('.').length === 3;
}

function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined; // not a JWT at all
  }
}

function isTokenClaims(payload: JWTPayload): payload is TokenClaims {
  return (
    typeof payload['use'] === 'string' && typeof payload.sub === 'string' && typeof payload.jti === 'string'
  );
}
