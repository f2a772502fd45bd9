import { Injectable } from '@nestjs/common';
import { httpErrors } from '../../../platform/errors/index.js';
import type { Principal } from '../../access/index.js';
import { LinkedAccountsService } from '../accounts/linked-accounts.service.js';
import { MAINTAINER } from '../hosts/gitlab-mapping.rules.js';
import { flagAt, idAt, listAt, numberAt, textAt } from '../hosts/json-fields.js';
import { ProviderOAuth } from '../hosts/provider-oauth.js';
import { vcsErrors } from '../vcs.errors.js';

/** Who administers a group at GitLab: people by their linked account, tokens by what they may do. */
@Injectable()
export class GroupAccess {
  constructor(
    private readonly accounts: LinkedAccountsService,
    private readonly oauth: ProviderOAuth,
  ) {}

  /** 403 unless the caller is Maintainer or Owner of the group. */
  async requireMaintainer(caller: Principal, groupId: string): Promise<void> {
    const { accountId } = await this.accounts.require(caller, 'gitlab');
    const answer = await this.accounts.ask(caller, 'gitlab', {
      path: `/groups/${encodeURIComponent(groupId)}/members/all/${encodeURIComponent(accountId)}`,
      route: '/groups/{id}/members/all/{user}',
    });
    const isRefused = [401, 403, 404].includes(answer.status);
    const level = isRefused ? 0 : (numberAt(answer.orRefused().json, 'access_level') ?? 0);
    if (level < MAINTAINER) throw httpErrors.FORBIDDEN('you must be Maintainer or Owner of the group');
  }

  /** The groups in which the caller is Maintainer or Owner, by name. */
  async listMaintained(caller: Principal): Promise<{ id: number; name: string }[]> {
    const query = { min_access_level: String(MAINTAINER), order_by: 'name', sort: 'asc' };
    const groups = (await this.accounts.list(caller, 'gitlab', { path: '/groups', query })).flatMap(
      (json) => {
        const id = numberAt(json, 'id');
        const name = textAt(json, 'full_path') ?? textAt(json, 'name');
        return id === undefined || name === undefined ? [] : [{ id, name }];
      },
    );
    return groups.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id));
  }

  /** Tries a token at the provider: 400 unless it may act as Maintainer of the group with the scope `api`. */
  async checkToken(groupId: string, token: string): Promise<void> {
    const self = await this.askWith(token, '/personal_access_tokens/self');
    const userId = idAt(self, 'user_id');
    const isActive = flagAt(self, 'active') && !flagAt(self, 'revoked');
    if (!isActive || userId === undefined || !listAt(self, 'scopes').includes('api'))
      throw vcsErrors.PROVIDER_TOKEN_REFUSED();
    const path = `/groups/${encodeURIComponent(groupId)}/members/all/${userId}`;
    const member = await this.askWith(token, path, '/groups/{id}/members/all/{user}');
    if ((numberAt(member, 'access_level') ?? 0) < MAINTAINER) throw vcsErrors.PROVIDER_TOKEN_REFUSED();
  }

  private async askWith(token: string, path: string, route = path): Promise<unknown> {
    const answer = await this.oauth.ask('gitlab', { path, route, token });
    if ([401, 403, 404].includes(answer.status)) throw vcsErrors.PROVIDER_TOKEN_REFUSED();
    return answer.orRefused().json;
  }
}
