import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { sameSecret } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { AppError, httpErrors } from '../../platform/errors/index.js';
import { addressSubject, RateLimits } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { GroupRules } from '../capabilities/index.js';
import { authErrors } from './auth.errors.js';
import { type Identity, identityOf, isAllowedDomain } from './identity.rules.js';
import { type LoginAttempt, LoginAttempts } from './login-attempt.js';
import { type IdentityClaims, LoginStrategy } from './login.strategy.js';
import { OAuthProvider } from './oauth-provider.js';
import { OAuthUsers } from './oauth-users.js';
import { Sessions } from './sessions.js';

export interface CallbackQuery {
  code?: unknown;
  state?: unknown;
  error?: unknown;
}

@Injectable()
export class OAuthLogin {
  private readonly logger = new Logger('OAuthLogin');

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

  /** Where to send the browser, and what it has to keep meanwhile. */
  async begin(
    name: string,
    rd: string | undefined,
    address: string,
  ): Promise<{ location: string; sealed: string }> {
    this.provider.check(name);
    await this.limit('oauth:begin', address);
    const attempt = this.attempts.begin(rd);
    const outcome = await new LoginStrategy(this.provider, await this.provider.discover(), attempt).run({});
    if (!('redirect' in outcome)) throw new Error('a sign-in begins with a redirect');
    return { location: outcome.redirect, sealed: await this.attempts.seal(attempt) };
  }

  /** 404 in local mode, 403 for a sign-in that was not begun in this browser, 401 for everything the provider denies. */
  async finish(
    name: string,
    query: CallbackQuery,
    sealed: unknown,
    address: string,
  ): Promise<{ token: string; rd: string | undefined }> {
    if (!this.provider.name) throw httpErrors.NOT_FOUND();
    this.provider.check(name);
    await this.limit('oauth:address', address);
    const attempt = await this.attemptOf(query, sealed);
    const identity = await this.identify(attempt, query).catch(async (error: unknown) => {
      await this.recordRefusal();
      throw error;
    });
    const ruleIds = await this.rules.matching(identity.groups);
    const token = await this.work.run(async () => {
      const user = await this.users.resolve(this.provider.name ?? name, identity);
      await this.rules.retain(user.id, ruleIds);
      return this.sessions.begin(user, `oauth:${this.provider.name}`, ruleIds);
    });
    return { token, rd: attempt.rd };
  }

  private async limit(name: string, address: string): Promise<void> {
    const limit = this.config.get('SERVICE_LOGIN_RATE_PER_ADDRESS');
    await this.limits.hit({ name, subject: addressSubject(address), limit, windowSeconds: 60 });
  }

  private async recordRefusal(): Promise<void> {
    const data = { method: `oauth:${this.provider.name}` };
    await this.audit.record({ action: 'session.refuse', objectType: 'user', data });
  }

  private async attemptOf(query: CallbackQuery, sealed: unknown): Promise<LoginAttempt> {
    const attempt = await this.attempts.open(sealed);
    const sameState = attempt && typeof query.state === 'string' && sameSecret(query.state, attempt.state);
    if (!attempt || !sameState || !(await this.attempts.use(attempt)))
      throw authErrors.LOGIN_ATTEMPT_INVALID();
    return attempt;
  }

  private async identify(attempt: LoginAttempt, query: CallbackQuery): Promise<Identity> {
    const claims = await this.claimsOf(attempt, query);
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

  private async claimsOf(attempt: LoginAttempt, query: CallbackQuery): Promise<IdentityClaims> {
    if (typeof query.code !== 'string' || query.code === '')
      throw authErrors.LOGIN_FAILED('the provider refused');
    const discovered = await this.provider.discover();
    try {
      const strategy = new LoginStrategy(this.provider, discovered, attempt);
      const outcome = await strategy.run({ code: query.code, state: attempt.state });
      if ('claims' in outcome) return outcome.claims;
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.logger.warn({ msg: 'a sign-in failed', kind: error instanceof Error ? error.name : typeof error });
    }
    throw authErrors.LOGIN_FAILED();
  }
}
