import type { Configuration, ServerMetadata } from 'openid-client';
import type { LoginAttempt } from './login-attempt.js';

/** Claims of the verified ID token and of the userinfo endpoint. */
export type IdentityClaims = Record<string, unknown> & { iss: string; sub: string };

/** A provider as its metadata describes it. */
export interface DiscoveredProvider {
  metadata: Pick<ServerMetadata, 'issuer' | 'userinfo_endpoint'> & {
    authorization_endpoint: string;
    token_endpoint: string;
  };
  client: Configuration;
}

/** This service as a client of a provider. */
export interface SignInClient {
  clientId: string;
  clientSecret: string;
  redirectUrl: string;
  scope: string;
  /** Redeems the code in an answer of the provider. Throws when anything in the answer or the tokens is wrong. */
  redeemCode(provider: DiscoveredProvider, answer: URL, attempt: LoginAttempt): Promise<IdentityClaims>;
}
