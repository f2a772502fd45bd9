import { Injectable } from '@nestjs/common';
import type { InstallationState, InstallationTarget } from '../entities/installation.entity.js';
import { GithubAppTokens } from './github-app-tokens.js';
import { idAt, textAt, wordAt } from './json-fields.js';
import { present } from './present.js';
import { ProviderRequests } from './provider-requests.js';
import { VcsSettings } from './vcs-settings.js';

/** An installation of the app as GitHub describes it. */
export interface AppInstallation {
  installationId: string;
  name: string;
  targetType: InstallationTarget;
  /** of a whole enterprise: its name is a slug, which an unrelated organization may have as its login */
  isEnterprise: boolean;
  state: Extract<InstallationState, 'active' | 'suspended'>;
}

export function toAppInstallation(json: unknown): AppInstallation | undefined {
  const installationId = idAt(json, 'id');
  const name = wordAt(json, 'account', 'login') ?? wordAt(json, 'account', 'slug');
  if (installationId === undefined || name === undefined) return undefined;
  const type = textAt(json, 'target_type') ?? textAt(json, 'account', 'type');
  return {
    installationId,
    name,
    targetType: type === 'User' ? 'user' : 'organization',
    isEnterprise: type === 'Enterprise' || wordAt(json, 'account', 'login') === undefined,
    state: wordAt(json, 'suspended_at') === undefined ? 'active' : 'suspended',
  };
}

/** What GitHub says of the app itself. */
@Injectable()
export class GithubApp {
  private address: string | undefined;

  constructor(
    private readonly settings: VcsSettings,
    private readonly tokens: GithubAppTokens,
    private readonly requests: ProviderRequests,
  ) {}

  /** Undefined when the app is not installed there any more. */
  async findInstallation(installationId: string, signal?: AbortSignal): Promise<AppInstallation | undefined> {
    const answer = await this.requests.send({
      provider: 'github',
      url: `${this.settings.apiBase('github')}/app/installations/${encodeURIComponent(installationId)}`,
      route: 'GET /app/installations/{id}',
      owner: 'app',
      token: await this.tokens.signAppToken(),
      signal,
    });
    return answer.status === 404 ? undefined : present(toAppInstallation(answer.orRefused().json));
  }

  /** Where the app is installed from: as configured, else as GitHub says; undefined while nobody knows. */
  async findAddress(): Promise<string | undefined> {
    const configured = this.settings.githubAppUrl;
    if (configured !== undefined) return configured;
    if (this.settings.githubApp === undefined) return undefined;
    this.address ??= await this.requestAddress().catch(() => undefined);
    return this.address;
  }

  private async requestAddress(): Promise<string | undefined> {
    const answer = await this.requests.send({
      provider: 'github',
      url: `${this.settings.apiBase('github')}/app`,
      route: 'GET /app',
      owner: 'app',
      token: await this.tokens.signAppToken(),
    });
    return wordAt(answer.orRefused().json, 'html_url');
  }
}
