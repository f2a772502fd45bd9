import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { allowInsecureRequests, discovery, type ServerMetadata } from 'openid-client';
import { Config } from '../../platform/config/config.js';
import { describeFailure, httpErrors } from '../../platform/errors/index.js';
import { Clock } from '../../platform/time/clock.js';
import { authErrors } from './auth.errors.js';

const GOOGLE = 'https://accounts.google.com';
/** What a provider says of itself is asked again after this long, in milliseconds. */
const METADATA_AGE = 3_600_000;
/** Only signatures that the provider alone can make: no shared secrets, no `none`. */
const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export interface DiscoveredProvider {
  metadata: Pick<ServerMetadata, 'issuer' | 'userinfo_endpoint' | 'token_endpoint_auth_methods_supported'> & {
    authorization_endpoint: string;
    token_endpoint: string;
  };
  keys: JWTVerifyGetKey;
}

/** The configured single sign-on provider: who it is, and whether a token is really from it. */
@Injectable()
export class OAuthProvider {
  private readonly logger = new Logger('OAuthProvider');
  private found: { provider: DiscoveredProvider; at: number } | undefined;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  get name(): 'google' | 'oidc' | undefined {
    return this.config.get('SERVICE_OAUTH_TYPE');
  }

  /** 503 unless `name` is the configured provider; `idp_a` is the interface's word for google. */
  check(name: string): void {
    if (!this.name || (name === 'idp_a' ? 'google' : name) !== this.name)
      throw authErrors.OAUTH_NOT_CONFIGURED();
  }

  get clientId(): string {
    return this.config.get('SERVICE_OAUTH_CLIENT_ID') ?? '';
  }

  get clientSecret(): string {
    return this.config.get('SERVICE_OAUTH_CLIENT_SECRET') ?? '';
  }

  get scope(): string {
    return this.config.get('SERVICE_OAUTH_SCOPES');
  }

  /** Registered at the provider; it does not depend on how a browser reached this service. */
  get redirectUrl(): string {
    const base =
      this.config.get('SERVICE_OAUTH_REDIRECT_BASE') ?? `http://localhost:${this.config.get('SERVICE_PORT')}`;
    return `${base.replace(/\/+$/, '')}/oauth2/${this.name}/callback`;
  }

  async discover(): Promise<DiscoveredProvider> {
    const now = this.clock.now().getTime();
    if (this.found && now - this.found.at < METADATA_AGE) return this.found.provider;
    const issuer = new URL(this.config.get('SERVICE_OAUTH_OIDC_ISSUER_URL') ?? GOOGLE);
    try {
      const options = issuer.protocol === 'http:' ? { execute: [allowInsecureRequests] } : {};
      const metadata = (
        await discovery(issuer, this.clientId, undefined, undefined, options)
      ).serverMetadata();
      const { authorization_endpoint, token_endpoint, jwks_uri } = metadata;
      if (!authorization_endpoint || !token_endpoint || !jwks_uri) throw new Error('an endpoint is missing');
      const provider = {
        metadata: { ...metadata, authorization_endpoint, token_endpoint },
        keys: createRemoteJWKSet(new URL(jwks_uri)),
      };
      this.found = { provider, at: now };
      return provider;
    } catch (error) {
      this.logger.error({ msg: 'the single sign-on provider cannot be asked', ...describeFailure(error) });
      throw httpErrors.UNAVAILABLE('the single sign-on provider does not answer');
    }
  }

  /**
   * passport-openidconnect checks issuer, audience and authorized party, and trusts the token endpoint; this asks the
   * provider's keys too. Throws when anything is off.
   */
  async verify(
    { metadata, keys }: DiscoveredProvider,
    idToken: string,
    expected: { nonce: string; accessToken: string },
  ): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      issuer: metadata.issuer,
      audience: this.clientId,
      algorithms: SIGNATURES,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      currentDate: this.clock.now(),
      clockTolerance: 30,
    });
    if (payload['nonce'] !== expected.nonce) throw new Error('the token answers another sign-in');
    const hash = payload['at_hash'];
    if (hash !== undefined && hash !== halfHash(expected.accessToken, protectedHeader.alg))
      throw new Error('the token goes with another access token');
    return payload;
  }
}

/** OpenID Connect Core 3.1.3.6: the left half of the hash that the signature uses. */
function halfHash(text: string, algorithm: string): string {
  const bits = /\d+$/.exec(algorithm)?.[0] ?? '512'; // EdDSA: Ed25519 goes with SHA-512
  const digest = createHash(`sha${bits}`).update(text, 'ascii').digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
