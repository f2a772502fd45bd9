import { Injectable } from '@nestjs/common';
import { vcsErrors } from '../vcs.errors.js';
import type { HostInstallation, HostPlace } from './code-host.js';
import { GroupCredentials } from './group-credentials.store.js';
import { type ProviderAnswer, type ProviderCall, ProviderRequests } from './provider-requests.js';
import { VcsSettings } from './vcs-settings.js';

export interface GitlabCall extends Partial<
  Pick<ProviderCall, 'method' | 'json' | 'query' | 'isRepeatable' | 'signal' | 'maxBytes'>
> {
  /** follows the API's address */
  path: string;
  /** the path without values, for metrics; `path` when absent */
  route?: string;
}

/** GitLab's REST API with the access token of a group. */
@Injectable()
export class GitlabApi {
  constructor(
    private readonly settings: VcsSettings,
    private readonly credentials: GroupCredentials,
    private readonly requests: ProviderRequests,
  ) {}

  async send(installation: HostInstallation, call: GitlabCall): Promise<ProviderAnswer> {
    return this.requests.send(await this.prepare(installation, call));
  }

  async *pages(installation: HostInstallation, call: GitlabCall): AsyncGenerator<ProviderAnswer> {
    for await (const answer of this.requests.pages(await this.prepare(installation, call)))
      yield answer.orRefused();
  }

  async requireToken({ id }: HostInstallation): Promise<string> {
    const token = await this.credentials.findToken(id);
    if (token === undefined)
      throw vcsErrors.PROVIDER_REFUSED('the group has no access token; an administrator must set one');
    return token;
  }

  private async prepare(
    installation: HostInstallation,
    { path, route = path, ...call }: GitlabCall,
  ): Promise<ProviderCall> {
    return {
      provider: 'gitlab',
      url: `${this.settings.apiBase('gitlab')}${path}`,
      route: `${call.method ?? 'GET'} ${route}`,
      owner: `installation ${installation.installationId}`,
      token: await this.requireToken(installation),
      ...call,
    };
  }
}

/** `/projects/{id}` and what follows. */
export function projectPath({ repository }: HostPlace, rest: string): string {
  return `/projects/${encodeURIComponent(repository.providerId)}${rest}`;
}
