import { createHash } from 'node:crypto';
import passport from 'passport';
import { type Done, Strategy, type StateStore } from 'passport-openidconnect';
import { exchangeCode } from './code-exchange.js';
import type { LoginAttempt } from './login-attempt.js';
import type { DiscoveredProvider, OAuthProvider } from './oauth-provider.js';
import { fetchUserInfo } from './user-info.js';

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
      // Asked for below: the strategy's own way out of a malformed answer is a crash of the process.
      skipUserProfile: true,
      clientID: clientId,
      clientSecret,
      callbackURL: redirectUrl,
      scope,
      store: new AttemptStore(attempt),
    };
    // Nine parameters: passport-openidconnect looks at the arity.
    super(options, (_issuer, _profile, _idProfile, _context, idToken, accessToken, _refresh, _all, done) => {
      const verified = provider.verify(discovered, idToken, { nonce: attempt.nonce, accessToken });
      verified
        .then((claims) => withUserInfo(claims as IdentityClaims, metadata.userinfo_endpoint, accessToken))
        .then((claims) => done(null, claims), done);
    });
    this._oauth2.getOAuthAccessToken = (code, _parameters, done) => {
      const exchange = { metadata, clientId, clientSecret, redirectUrl, code, verifier: attempt.verifier };
      exchangeCode(exchange)
        .then((answer) => done(null, answer.access_token, answer.refresh_token, answer))
        // What the strategy throws while it reads the answer ends here too, and not the process.
        .catch(done);
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

/** Userinfo counts only for the person the ID token is about, and never against the token. */
async function withUserInfo(
  verified: IdentityClaims,
  endpoint: string | undefined,
  accessToken: string,
): Promise<IdentityClaims> {
  if (endpoint === undefined) return verified;
  const userInfo = await fetchUserInfo(endpoint, accessToken);
  if (userInfo['sub'] !== verified.sub) throw new Error('userinfo is about somebody else');
  return { ...userInfo, ...verified };
}
