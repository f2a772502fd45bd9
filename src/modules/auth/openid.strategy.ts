import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { type AuthenticateOptions, Strategy } from 'passport-openidconnect';
import type { LoginAttempt } from './login-attempt.js';
import type { DiscoveredProvider, IdentityClaims, SignInClient } from './sign-in-client.js';

/** The name under which passport knows the strategy. */
export const OPENID = 'openid';

/** What the guards pass to the strategy with each request. */
export interface OpenIdOptions {
  step: 'begin' | 'complete';
  attempt: LoginAttempt;
  /** PKCE, of the attempt's verifier */
  challenge: string;
  /** the attempt's; passport-openidconnect hands it to the state store */
  state: string;
}

type Done = (error: Error | null, result?: unknown) => void;

/** The browser keeps the state, sealed in a cookie, and the guard compares it. The server stores nothing. */
const COOKIE_STATE = {
  store: (...[, , state, , done]: [unknown, unknown, unknown, unknown, Done]) => done(null, state),
  verify: (_request: unknown, _state: unknown, done: Done) => done(null, false),
};

/**
 * Sign-in at an OpenID Connect provider. passport-openidconnect makes the authorization request; openid-client redeems
 * the code, for it checks the signature, sends the PKCE verifier and asks the userinfo endpoint.
 */
export class OpenIdStrategy extends PassportStrategy(Strategy, OPENID) {
  constructor(
    private readonly client: SignInClient,
    private readonly discovered: DiscoveredProvider,
  ) {
    const {
      issuer,
      authorization_endpoint: authorizationURL,
      token_endpoint: tokenURL,
    } = discovered.metadata;
    super({
      issuer,
      authorizationURL,
      tokenURL,
      userInfoURL: discovered.metadata.userinfo_endpoint ?? '',
      clientID: client.clientId,
      clientSecret: client.clientSecret,
      callbackURL: client.redirectUrl,
      scope: client.scope,
      // Its type is the class that needs a session.
      store: COOKIE_STATE as never,
    });
  }

  override authenticate(request: Request, options: AuthenticateOptions = {}): void {
    const { step, attempt } = options as unknown as OpenIdOptions;
    if (step === 'complete') {
      // The path may name the provider by its other name; the redirect URL is the registered one.
      const answer = new URL(this.client.redirectUrl);
      answer.search = new URL(request.originalUrl, answer).search;
      this.client.redeemCode(this.discovered, answer, attempt).then(
        (claims) => this.success(this.validate(claims)),
        (error: unknown) => this.error(error instanceof Error ? error : new Error('unknown failure')),
      );
      return;
    }
    // With one of these, passport-openidconnect would take the request for an answer of the provider.
    const isAnswer = request.query['code'] !== undefined || request.query['error'] !== undefined;
    if (isAnswer) this.fail(400);
    else super.authenticate(request, options);
  }

  override authorizationParams({ attempt, challenge }: OpenIdOptions): Record<string, string> {
    return { nonce: attempt.nonce, code_challenge: challenge, code_challenge_method: 'S256' };
  }

  /** Whoever the provider identifies is signed in, or refused, by `OAuthLogin`. */
  validate(claims: IdentityClaims): IdentityClaims {
    return claims;
  }
}
