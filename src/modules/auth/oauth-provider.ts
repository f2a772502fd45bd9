import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { decodeProtectedHeader } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ServerMetadata,
} from 'openid-client';
import { Config } from '../../platform/config/config.js';
import { describeFailure, httpErrors } from '../../platform/errors/index.js';
import { Clock } from '../../platform/time/clock.js';
import { authErrors } from './auth.errors.js';
import type { LoginAttempt } from './login-attempt.js';
import { OpenIdStrategy } from './openid.strategy.js';
import type { DiscoveredProvider, IdentityClaims, SignInClient } from './sign-in-client.js';

const GOOGLE = 'https://accounts.google.com';
const METADATA_MAX_AGE_MS = 3_600_000;
const TIMEOUT_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 30;

/** The configured single sign-on provider: who it is, and whether a token is really from it. */
@Injectable()
export class OAuthProvider implements SignInClient {
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
    if (this.found && now - this.found.at < METADATA_MAX_AGE_MS) return this.found.provider;
    const issuer = new URL(this.config.get('SERVICE_OAUTH_OIDC_ISSUER_URL') ?? GOOGLE);
    try {
      const isInsecure = issuer.protocol === 'http:';
      const options = {
        timeout: TIMEOUT_SECONDS,
        ...(isInsecure ? { execute: [allowInsecureRequests] } : {}),
      };
      const metadata = (
        await discovery(issuer, this.clientId, undefined, undefined, options)
      ).serverMetadata();
      const { authorization_endpoint, token_endpoint, jwks_uri } = metadata;
      if (!authorization_endpoint || !token_endpoint || !jwks_uri) throw new Error('an endpoint is missing');
      const client = this.clientOf(metadata);
      if (isInsecure) allowInsecureRequests(client);
      const provider = { metadata: { ...metadata, authorization_endpoint, token_endpoint }, client };
      // Registers itself with passport, in place of the strategy with the older metadata.
      new OpenIdStrategy(this, provider);
      this.found = { provider, at: now };
      return provider;
    } catch (error) {
      this.logger.error({ msg: 'single sign-on provider unreachable', ...describeFailure(error) });
      throw httpErrors.UNAVAILABLE('the single sign-on provider does not answer');
    }
  }

  private clientOf(metadata: ServerMetadata): Configuration {
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
    const client = new Configuration(
      metadata,
      this.clientId,
      { [clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authentication(this.clientSecret),
    );
    client.timeout = TIMEOUT_SECONDS;
    // The signature is checked although the token comes from the token endpoint itself.
    enableNonRepudiationChecks(client);
    return client;
  }

  /** Redeems the code in an answer of the provider. Throws when anything in the answer or the tokens is wrong. */
  async redeemCode(
    { client, metadata }: DiscoveredProvider,
    answer: URL,
    attempt: LoginAttempt,
  ): Promise<IdentityClaims> {
    const tokens = await authorizationCodeGrant(client, answer, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
    });
    const claims = tokens.claims();
    if (!claims || tokens.id_token === undefined) throw new Error('ID token missing');
    const { alg = '' } = decodeProtectedHeader(tokens.id_token);
    const hash = claims['at_hash'];
    if (hash !== undefined && hash !== halfHash(tokens.access_token, alg))
      throw new Error('the ID token belongs to another access token');
    if (metadata.userinfo_endpoint === undefined) return claims;
    // Userinfo adds to the claims of the token and never replaces one.
    return { ...(await fetchUserInfo(client, tokens.access_token, claims.sub)), ...claims };
  }
}

/** OpenID Connect Core 3.1.3.6: the left half of the hash that the signature uses. */
function halfHash(text: string, algorithm: string): string {
  const bits = /\d+$/.exec(algorithm)?.[0] ?? '512'; // EdDSA: Ed25519 goes with SHA-512
  const digest = createHash(`sha${bits}`).update(text, 'ascii').digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
