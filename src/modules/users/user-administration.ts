import { Injectable } from '@nestjs/common';
import { accessErrors, type Grants, isInstallationAdmin, type Principal } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { userErrors } from './user.errors.js';

/** Gives and takes the installation-wide admin grant; "the last one" holds because changes take turns. */
@Injectable()
export class UserAdministration {
  constructor(
    private readonly grants: UserGrants,
    private readonly audit: Audit,
  ) {}

  /** Inside `Administration.change`. Answers the grants the user has then. */
  async set(caller: Principal, userId: string, { value }: { value: boolean }): Promise<Grants> {
    if (!isInstallationAdmin(caller.capabilities)) throw accessErrors.CAPABILITY_UNAUTHORIZED();
    const before = await this.grants.of(userId);
    if (isInstallationAdmin(before) === value) return before;
    if (value) {
      await this.grants.put(userId, 'admin', null);
    } else {
      // Order of refusals: the last administrator, then oneself (contract-notes.md section 2).
      if (!(await this.grants.anotherInstallationAdmin(userId))) throw userErrors.CANNOT_REMOVE_LAST_ADMIN();
      if (userId === caller.userId) throw userErrors.CANNOT_ACT_ON_SELF();
      await this.grants.removeUnscoped(userId, 'admin');
    }
    await this.audit.record({
      actor: caller,
      action: 'user.set-instance-admin',
      objectType: 'user',
      objectId: userId,
      data: { is_instance_admin: value },
    });
    return this.grants.of(userId);
  }

  async isLast(userId: string, grants: Grants): Promise<boolean> {
    return isInstallationAdmin(grants) && !(await this.grants.anotherInstallationAdmin(userId));
  }
}
