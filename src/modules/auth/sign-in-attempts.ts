import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { sameSecret } from '../../platform/crypto/secrets.js';
import { httpErrors } from '../../platform/errors/index.js';
import { addressSubject, RateLimits } from '../access/index.js';
import { authErrors } from './auth.errors.js';
import { type LoginAttempt, LoginAttempts } from './login-attempt.js';
import { OAuthProvider } from './oauth-provider.js';

export interface CallbackRequest {
  provider: string;
  address: string;
  state: unknown;
}

/** The way of a browser to the identity provider and back. */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly config: Config,
    private readonly provider: OAuthProvider,
    private readonly attempts: LoginAttempts,
    private readonly limits: RateLimits,
  ) {}

  /** Begins a sign-in. The browser keeps the sealed attempt until the provider sends it back. */
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

  /** Discovers the provider; 401 for an answer without a code, which is a refusal. */
  async prepareRedemption(code: unknown): Promise<void> {
    if (typeof code !== 'string' || code === '') throw authErrors.LOGIN_FAILED('the provider refused');
    await this.provider.discover();
  }

  private async limit(name: string, address: string): Promise<void> {
    const limit = this.config.get('SERVICE_LOGIN_RATE_PER_ADDRESS');
    await this.limits.hit({ name, subject: addressSubject(address), limit, windowSeconds: 60 });
  }
}
