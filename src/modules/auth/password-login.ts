import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { addressSubject, RateLimits } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { Passwords, UserDirectory } from '../users/index.js';
import { authErrors } from './auth.errors.js';
import type { PasswordLoginBody } from './dto/auth.dto.js';
import { Sessions } from './sessions.js';

/** Addresses that may use up their attempts on one account before it is limited for all of them. */
const ADDRESSES_PER_ACCOUNT = 10;

@Injectable()
export class PasswordLogin {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly limits: RateLimits,
    private readonly users: UserDirectory,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly audit: Audit,
  ) {}

  /** A session token. Wrong email, wrong password and no password at all look and take the same. */
  async login({ email, password }: PasswordLoginBody, address: string, left: AbortSignal): Promise<string> {
    if (this.config.get('SERVICE_OAUTH_TYPE')) throw authErrors.LOCAL_LOGIN_DISABLED();
    await this.limit(
      'login:address',
      addressSubject(address),
      this.config.get('SERVICE_LOGIN_RATE_PER_ADDRESS'),
    );
    const user = await this.users.findByEmail(email);
    // The database knows more spellings of one address than we do: an account is counted by its id.
    const account = user?.id ?? email.trim().toLowerCase();
    const perAccount = this.config.get('SERVICE_LOGIN_RATE_PER_ACCOUNT');
    // Strangers who guess from elsewhere must not lock out who knows the password, but all of them together are limited.
    await this.limit('login:account-address', `${account} ${addressSubject(address)}`, perAccount);
    await this.limit('login:account', account, perAccount * ADDRESSES_PER_ACCOUNT);
    const correct = await this.passwords.matches(password, user?.passwordHash, left);
    if (!user || !correct) {
      await this.audit.record({
        action: 'session.refuse',
        objectType: 'user',
        ...(user ? { objectId: user.id } : {}),
        data: { method: 'password' },
      });
      throw httpErrors.UNAUTHENTICATED('email or password is wrong');
    }
    return this.work.run(() => this.sessions.begin(user, 'password'));
  }

  private async limit(name: string, subject: string, limit: number): Promise<void> {
    await this.limits.hit({ name, subject, limit, windowSeconds: 60 });
  }
}
