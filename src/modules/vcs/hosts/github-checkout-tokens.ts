import { Injectable } from '@nestjs/common';
import { vcsErrors } from '../vcs.errors.js';
import type { HostPlace } from './code-host.js';
import { GithubAppTokens } from './github-app-tokens.js';
import { textAt } from './json-fields.js';
import { ProviderRequests } from './provider-requests.js';
import { VcsSettings } from './vcs-settings.js';

/**
 * Tokens for one checkout. Whatever runs beside a runner may get hold of one: it reads the contents of one repository
 * for an hour and opens nothing else, unlike the token that this service itself uses.
 */
@Injectable()
export class GithubCheckoutTokens {
  constructor(
    private readonly settings: VcsSettings,
    private readonly requests: ProviderRequests,
    private readonly appTokens: GithubAppTokens,
  ) {}

  async create({ installation: { installationId }, repository }: HostPlace): Promise<string> {
    const answer = await this.requests.send({
      provider: 'github',
      method: 'POST',
      url: `${this.settings.apiBase('github')}/app/installations/${encodeURIComponent(installationId)}/access_tokens`,
      route: 'POST /app/installations/{id}/access_tokens',
      owner: `token ${installationId}`,
      token: await this.appTokens.signAppToken(),
      json: { repository_ids: [Number(repository.providerId)], permissions: { contents: 'read' } },
      isRepeatable: true,
    });
    const token = textAt(answer.orRefused().json, 'token');
    if (token === undefined) throw vcsErrors.PROVIDER_REFUSED();
    return token;
  }
}
