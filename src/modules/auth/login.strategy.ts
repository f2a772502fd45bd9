import { createHash } from 'node:crypto';
import passport from 'passport';
import { type Done, Strategy, type StateStore } from 'passport-openidconnect';
import { exchangeCode } from './code-exchange.js';
import type { LoginAttempt } from './login-attempt.js';
import type { DiscoveredProvider, OAuthProvider } from './oauth-provider.js';

/** What the provider says about whoever signed in: claims of the verified ID token and of the userinfo endpoint. */
export type IdentityClaims = Record<string, unknown> & { iss: string; sub: string };

export type LoginOutcome = { redirect: string } | { claims: IdentityClaims };

/** The state is compared before this runs; nothing is kept on the server. */
class AttemptStore implements StateStore {
  constructor(private readonly attempt: LoginAttempt) {}

  store(_request: unknown, _context: unknown, _state: unknown, _meta: unknown, done: Done): void {
    done(null, this.attempt.state);
  }

  verify(_request: unknown, state: unknown, done: Done): void {
    if (state === this.attempt.state) done(null, { nonce: this.attempt.nonce }, state);
    else done(null, false, { message: 'another state' });
  }
}

/**
 * One sign-in through passport-openidconnect, with what that lacks: PKCE, the provider's client authentication, and
 * the signature of the ID token.
 */
export class LoginStrategy extends Strategy {
  constructor(
    provider: OAuthProvider,
    discovered: DiscoveredProvider,
    private readonly attempt: LoginAttempt,
  ) {
    const { metadata } = discovered;
    const { clientId, clientSecret, redirectUrl, scope } = provider;
    const options = {
      issuer: metadata.issuer,
      authorizationURL: metadata.authorization_endpoint,
      tokenURL: metadata.token_endpoint,
      ...(metadata.userinfo_endpoint === undefined ? {} : { userInfoURL: metadata.userinfo_endpoint }),
      skipUserProfile: metadata.userinfo_endpoint === undefined,
      clientID: clientId,
      clientSecret,
      callbackURL: redirectUrl,
      scope,
      store: new AttemptStore(attempt),
    };
    // Nine parameters: passport-openidconnect looks at the arity.
    super(
      options,
      (_issuer, uiProfile, _idProfile, _context, idToken, _access, _refresh, _parameters, done) => {
        provider.verify(discovered, idToken, attempt.nonce).then(
          (verified) => done(null, claimsOf(verified as IdentityClaims, uiProfile?._json)),
          (error: unknown) => done(error),
        );
      },
    );
    this._oauth2.getOAuthAccessToken = (code, _parameters, done) => {
      exchangeCode({ metadata, clientId, clientSecret, redirectUrl, code, verifier: attempt.verifier }).then(
        (answer) => done(null, answer.access_token, answer.refresh_token, answer),
        (error: unknown) => done(error),
      );
    };
  }

  override authorizationParams(): Record<string, string> {
    return {
      nonce: this.attempt.nonce,
      code_challenge: createHash('sha256').update(this.attempt.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
  }

  /** Runs the strategy: without a code it answers where to send the browser, with one who signed in. */
  async run(query: Readonly<Record<string, string>>): Promise<LoginOutcome> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string> = {};
      const response = {
        setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
        end: () => resolve({ redirect: headers['location'] ?? '' }),
      };
      const finish = (error: unknown, claims?: unknown) => {
        if (error || !claims) reject(error instanceof Error ? error : new Error('the provider refused'));
        else resolve({ claims: claims as IdentityClaims });
      };
      const authenticate = passport.authenticate(this, { session: false }, finish) as (
        ...parameters: unknown[]
      ) => void;
      authenticate({ query }, response, finish);
    });
  }
}

/** Userinfo counts only for the person the ID token is about. */
function claimsOf(verified: IdentityClaims, userInfo: Record<string, unknown> | undefined): IdentityClaims {
  if (userInfo && userInfo['sub'] !== verified.sub) throw new Error('userinfo is about somebody else');
  return { ...userInfo, ...verified };
}
