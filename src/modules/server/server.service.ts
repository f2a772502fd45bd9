import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import type {
  ClientIdView,
  ServerCapabilitiesView,
  ServerConfigView,
  ServerVersionView,
} from './dto/server.dto.js';
import { GithubApp, VcsSettings } from '../vcs/index.js';
import { STATE_SCHEMA_VERSION } from '../transactions/index.js';
import { serverVersion } from './versions.js';

@Injectable()
export class ServerService {
  constructor(
    private readonly settings: Config,
    private readonly codeHosting: VcsSettings,
    private readonly githubApp: GithubApp,
  ) {}

  version(): ServerVersionView {
    return { version: serverVersion(), state_schema_version: STATE_SCHEMA_VERSION };
  }

  async capabilities(): Promise<ServerCapabilitiesView> {
    const address = this.codeHosting.isEnabled ? await this.githubApp.findAddress() : undefined;
    return {
      costs: { enabled: this.settings.get('SERVICE_COST_ENABLED') },
      security: { enabled: this.settings.get('SERVICE_SECURITY') },
      dedicated: { enabled: false },
      ...(address === undefined ? {} : { app_url: address, github_app_url: address }),
    };
  }

  /** Empty while orchestration is off. */
  async config(): Promise<ServerConfigView> {
    if (!this.codeHosting.isEnabled) return {};
    const { githubClientId, gitlabClientId } = this.codeHosting;
    const address = githubClientId === undefined ? undefined : await this.githubApp.findAddress();
    return {
      ...(githubClientId === undefined
        ? {}
        : {
            github: {
              api_base_url: this.codeHosting.apiBase('github'),
              app_client_id: githubClientId,
              ...(address === undefined ? {} : { app_url: address }),
              web_base_url: this.codeHosting.webBase('github'),
            },
          }),
      ...(gitlabClientId === undefined
        ? {}
        : {
            gitlab: {
              api_base_url: this.codeHosting.apiBase('gitlab'),
              app_id: gitlabClientId,
              redirect_url: this.codeHosting.apiAddress('/gitlab/link/callback'),
              web_base_url: this.codeHosting.webBase('gitlab'),
            },
          }),
    };
  }

  clientId(): ClientIdView {
    const clientId = this.codeHosting.isEnabled ? this.codeHosting.githubClientId : undefined;
    if (clientId === undefined) throw httpErrors.FORBIDDEN('no app of this provider is configured');
    return { client_id: clientId };
  }
}
