import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/index.js';
import { UserGrants } from '../capabilities/index.js';
import { toUserView, UserDirectory } from '../users/index.js';
import type { CurrentUserView } from './dto/auth.dto.js';

@Injectable()
export class CurrentUserQueries {
  constructor(
    private readonly users: UserDirectory,
    private readonly grants: UserGrants,
  ) {}

  /** The user, with what the credential at hand allows. */
  async viewOf(caller: Principal): Promise<CurrentUserView> {
    const user = await this.users.find(caller.userId);
    const view = toUserView(user, await this.grants.of(user.id));
    return { ...view, capabilities: caller.capabilities };
  }
}
