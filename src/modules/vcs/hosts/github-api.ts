import { Injectable } from '@nestjs/common';
import type { HostInstallation, HostPlace } from './code-host.js';
import { GithubAppTokens } from './github-app-tokens.js';
import { type ProviderAnswer, type ProviderCall, ProviderRequests } from './provider-requests.js';
import { VcsSettings } from './vcs-settings.js';

/** A request as the adapter says it: `path` follows the API's address, `{repo}` stands for owner and name. */
export interface GithubCall extends Partial<
  Pick<ProviderCall, 'method' | 'json' | 'query' | 'isRepeatable' | 'signal' | 'accept' | 'maxBytes'>
> {
  path: string;
  /** the path without values, for metrics; `path` when absent */
  route?: string;
}

const ACCEPT = 'application/vnd.github+json';

/** GitHub's REST API in the name of one installation. */
@Injectable()
export class GithubApi {
  constructor(
    private readonly settings: VcsSettings,
    private readonly tokens: GithubAppTokens,
    private readonly requests: ProviderRequests,
  ) {}

  async send(installation: HostInstallation, call: GithubCall): Promise<ProviderAnswer> {
    const answer = await this.requests.send(await this.prepare(installation, call));
    if (answer.status !== 401) return answer;
    // The token was revoked, for example because the permissions of the app changed.
    this.tokens.forget(installation.installationId);
    return this.requests.send(await this.prepare(installation, call));
  }

  /** In the name of the app itself. */
  async sendAsApp({ path, route = path, ...call }: GithubCall): Promise<ProviderAnswer> {
    return this.requests.send({
      provider: 'github',
      accept: ACCEPT,
      url: `${this.settings.apiBase('github')}${path}`,
      route: `${call.method ?? 'GET'} ${route}`,
      owner: 'app',
      token: await this.tokens.signAppToken(),
      ...call,
    });
  }

  async *pages(installation: HostInstallation, call: GithubCall): AsyncGenerator<ProviderAnswer> {
    for await (const answer of this.requests.pages(await this.prepare(installation, call)))
      yield answer.orRefused();
  }

  private async prepare(
    { installationId }: HostInstallation,
    { path, route = path, ...call }: GithubCall,
  ): Promise<ProviderCall> {
    return {
      provider: 'github',
      accept: ACCEPT,
      url: `${this.settings.apiBase('github')}${path}`,
      route: `${call.method ?? 'GET'} ${route}`,
      owner: `installation ${installationId}`,
      token: await this.tokens.findToken(installationId, call.signal),
      ...call,
    };
  }
}

/** `/repos/{owner}/{name}` and what follows. */
export function repoPath({ repository }: HostPlace, rest: string): string {
  return `/repos/${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}${rest}`;
}

/** A path of a file or the name of a branch within an address: slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
