import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { httpErrors } from '../../platform/errors/index.js';
import { accessErrors, Administration, type Principal, RateLimits, scopeOf } from '../access/index.js';
import { mayChange } from './authority.rules.js';
import type { ChangePasswordBody } from './dto/users.dto.js';
import type { UserEntity } from './entities/user.entity.js';
import { Passwords } from './passwords.js';
import { UserDirectory } from './user-directory.js';
import { UserTargets } from './user-targets.js';
import { userErrors } from './user.errors.js';
import { isUuid } from '../../platform/text/uuid.js';

/** Changes passwords. */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly config: Config,
    private readonly administration: Administration,
    private readonly limits: RateLimits,
    private readonly directory: UserDirectory,
    private readonly targets: UserTargets,
    private readonly passwords: Passwords,
  ) {}

  /** Your own password needs the current one; another user's needs authority. Both end the user's sessions. */
  async change(
    caller: Principal,
    userId: string | undefined,
    body: ChangePasswordBody,
    left?: AbortSignal,
  ): Promise<UserEntity> {
    const own = isUuid(userId) && userId.toLowerCase() === caller.userId;
    if (!own && !scopeOf(caller.capabilities, 'users-manage')) throw accessErrors.CAPABILITY_UNAUTHORIZED();
    const before = await this.directory.find(userId);
    if (own) await this.checkCurrent(before, body.current_password ?? undefined);
    else await this.checkAuthority(caller, before);
    if (before.type !== 'user') throw httpErrors.INVALID_REQUEST('a service account has no password');
    const passwordHash = await this.passwords.hash(body.new_password, caller.userId, left);
    return this.administration.change(caller, async (current) => {
      const user = await this.directory.lock(userId);
      // Hashing is slow: check again.
      if (!own) await this.checkAuthority(current, user);
      else if (user.passwordHash !== before.passwordHash) throw userErrors.WRONG_CURRENT_PASSWORD();
      user.passwordHash = passwordHash;
      user.sessionEpoch += 1;
      await this.directory.store(user);
      const { tenantIds } = await this.targets.find(user);
      await this.targets.recordAudit(current, 'user.change-password', { user, data: { own }, tenantIds });
      return user;
    });
  }

  private async checkAuthority(caller: Principal, user: UserEntity): Promise<void> {
    if (!mayChange(caller.capabilities, await this.targets.find(user)))
      throw accessErrors.CAPABILITY_UNAUTHORIZED();
  }

  /** Limited like a sign-in, so that a stolen session cannot be used to guess the password. */
  private async checkCurrent(user: UserEntity, current: string | undefined): Promise<void> {
    if (current === undefined)
      throw httpErrors.INVALID_REQUEST('current_password is needed for your own password');
    const limit = this.config.get('SERVICE_LOGIN_RATE_PER_ACCOUNT');
    await this.limits.hit({ name: 'password:account', subject: user.id, limit, windowSeconds: 60 });
    if (!(await this.passwords.matches(current, user.passwordHash)))
      throw userErrors.WRONG_CURRENT_PASSWORD();
  }
}
