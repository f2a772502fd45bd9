import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { sameSecret } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { addressSubject, RateLimits } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { GroupRules } from '../capabilities/index.js';
import { authErrors } from './auth.errors.js';
import { type Identity, identityOf, isAllowedDomain } from './identity.rules.js';
import { type LoginAttempt, LoginAttempts } from './login-attempt.js';
import { OAuthProvider } from './oauth-provider.js';
import type { IdentityClaims } from './sign-in-client.js';
import { OAuthUsers } from './oauth-users.js';
import { Sessions } from './sessions.js';

export interface CallbackRequest {
  provider: string;
  address: string;
  state: unknown;
}

@Injectable()
export class OAuthLogin {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly provider: OAuthProvider,
    private readonly attempts: LoginAttempts,
    private readonly users: OAuthUsers,
    private readonly rules: GroupRules,
    private readonly sessions: Sessions,
    private readonly limits: RateLimits,
    private readonly audit: Audit,
  ) {}

  /** Begins a sign-in: what the browser has to keep until the provider sends it back. */
  async begin(
    name: string,
    rd: string | undefined,
    address: string,
  ): Promise<{ attempt: LoginAttempt; sealed: string }> {
    this.provider.check(name);
    await this.limit('oauth:begin', address);
    const attempt = this.attempts.begin(rd);
    await this.provider.discover();
    return { attempt, sealed: await this.attempts.seal(attempt) };
  }

  /** 404 in local mode, 403 for a sign-in that was not begun in this browser. An attempt is used once. */
  async openAttempt({ provider, address, state }: CallbackRequest, sealed: unknown): Promise<LoginAttempt> {
    if (!this.provider.name) throw httpErrors.NOT_FOUND();
    this.provider.check(provider);
    await this.limit('oauth:address', address);
    const attempt = await this.attempts.open(sealed);
    const sameState = attempt && typeof state === 'string' && sameSecret(state, attempt.state);
    if (!attempt || !sameState || !(await this.attempts.use(attempt)))
      throw authErrors.LOGIN_ATTEMPT_INVALID();
    return attempt;
  }

  /** Discovers the provider; 401 for its answer without a code, with which it turns somebody away. */
  async prepareRedemption(code: unknown): Promise<void> {
    if (typeof code !== 'string' || code === '') throw authErrors.LOGIN_FAILED('the provider refused');
    await this.provider.discover();
  }

  /** Signs in whom the provider has identified; 401 for an identity that may not. */
  async finish(claims: IdentityClaims): Promise<string> {
    const identity = await this.identifyOrRecord(claims);
    const ruleIds = await this.rules.matching(identity.groups);
    const method = `oauth:${this.provider.name}`;
    return this.work.run(async () => {
      const user = await this.users.resolve(this.provider.name ?? '', identity);
      await this.rules.retain(user.id, ruleIds);
      return this.sessions.begin(user, method, ruleIds);
    });
  }

  private async limit(name: string, address: string): Promise<void> {
    const limit = this.config.get('SERVICE_LOGIN_RATE_PER_ADDRESS');
    await this.limits.hit({ name, subject: addressSubject(address), limit, windowSeconds: 60 });
  }

  async recordRefusal(): Promise<void> {
    const data = { method: `oauth:${this.provider.name}` };
    await this.audit.record({ action: 'session.refuse', objectType: 'user', data });
  }

  private async identifyOrRecord(claims: IdentityClaims): Promise<Identity> {
    try {
      return this.identify(claims);
    } catch (error) {
      await this.recordRefusal();
      throw error;
    }
  }

  private identify(claims: IdentityClaims): Identity {
    const identity = identityOf(claims, this.config.get('SERVICE_OAUTH_GROUPS_CLAIM'));
    if (!identity) throw authErrors.LOGIN_FAILED('the provider gives no verified email address');
    const domain = this.config.get('SERVICE_OAUTH_EMAIL_DOMAIN');
    if (!isAllowedDomain(identity.email, domain))
      throw authErrors.LOGIN_FAILED('addresses of this domain may not sign in');
    // At several providers people write any address into their profile.
    if (domain !== '*' && !identity.emailVerified)
      throw authErrors.LOGIN_FAILED('the provider does not confirm that the address belongs to you');
    return identity;
  }
}
