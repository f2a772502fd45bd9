import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { sameSecret } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { addressSubject, isInstallationAdmin, type Principal, RateLimits } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { Passwords, UserDirectory } from '../users/index.js';
import { authErrors } from './auth.errors.js';
import type { SetupAdminBody } from './dto/auth.dto.js';
import { FirstAdministrator } from './first-administrator.js';
import { Sessions } from './sessions.js';

/** The first administrator of a new installation. */
@Injectable()
export class SetupService {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly limits: RateLimits,
    private readonly users: UserDirectory,
    private readonly passwords: Passwords,
    private readonly administrators: FirstAdministrator,
    private readonly sessions: Sessions,
    private readonly audit: Audit,
  ) {}

  async isNeeded(): Promise<boolean> {
    return !(await this.users.anyExists());
  }

  get needsToken(): boolean {
    return this.config.get('SERVICE_SETUP_TOKEN') !== undefined;
  }

  /** Works once: of two concurrent requests, the second one finds a user and is refused. */
  async createAdmin(body: SetupAdminBody, address: string): Promise<{ token: string; userId: string }> {
    if (this.config.get('SERVICE_OAUTH_TYPE')) throw authErrors.LOCAL_LOGIN_DISABLED();
    await this.limit('setup', address);
    if (!(await this.isNeeded())) throw authErrors.SETUP_ALREADY_DONE();
    const token = this.config.get('SERVICE_SETUP_TOKEN');
    if (token !== undefined && !sameSecret(body.setup_token ?? '', token))
      throw authErrors.SETUP_TOKEN_INVALID();
    const passwordHash = await this.passwords.hash(body.password, address);
    return this.work.run(async () => {
      const user = await this.administrators.create(body, passwordHash);
      return { token: await this.sessions.begin(user, 'setup'), userId: user.id };
    });
  }

  /** Open to anyone while no user exists (interface.md section 5 item 8), afterwards to installation administrators. */
  async complete(caller: Principal | undefined, address: string): Promise<void> {
    await this.limit('setup:complete', address);
    if (!(await this.isNeeded())) {
      if (!caller) throw httpErrors.UNAUTHENTICATED();
      if (!isInstallationAdmin(caller.capabilities)) throw httpErrors.FORBIDDEN();
    }
    await this.work.run(async () => {
      const [first] = await this.work.query(
        'INSERT INTO setup_completion (completed_at) VALUES (now()) ON CONFLICT DO NOTHING RETURNING id',
      );
      if (!first) return;
      await this.audit.record({
        ...(caller ? { actor: caller } : {}),
        action: 'setup.complete',
        objectType: 'installation',
      });
    });
  }

  private async limit(name: string, address: string): Promise<void> {
    const limit = this.config.get('SERVICE_SETUP_RATE_PER_ADDRESS');
    await this.limits.hit({ name, subject: addressSubject(address), limit, windowSeconds: 60 });
  }
}
