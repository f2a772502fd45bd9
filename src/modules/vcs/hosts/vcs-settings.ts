import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { vcsErrors } from '../vcs.errors.js';
import type { Provider } from '../entities/installation.entity.js';

export interface OAuthClient {
  clientId: string;
  clientSecret: string;
}

/** What the environment says about the code hosts (docs/orchestration.md). */
@Injectable()
export class VcsSettings {
  private privateKey: KeyObject | undefined;

  constructor(private readonly config: Config) {}

  get isEnabled(): boolean {
    return this.config.get('SERVICE_ORCHESTRATION_ENABLED');
  }

  apiBase(provider: Provider): string {
    return withoutSlash(
      this.config.get(provider === 'github' ? 'SERVICE_GITHUB_API_BASE_URL' : 'SERVICE_GITLAB_API_BASE_URL'),
    );
  }

  webBase(provider: Provider): string {
    return withoutSlash(
      this.config.get(provider === 'github' ? 'SERVICE_GITHUB_WEB_BASE_URL' : 'SERVICE_GITLAB_WEB_BASE_URL'),
    );
  }

  /** The GitHub app; undefined without one. */
  get githubApp(): { id: string; key: KeyObject } | undefined {
    const id = this.config.get('SERVICE_GITHUB_APP_ID');
    const pem = this.config.get('SERVICE_GITHUB_APP_PEM');
    if (id === undefined || pem === undefined) return undefined;
    this.privateKey ??= createPrivateKey(pem);
    return { id, key: this.privateKey };
  }

  get githubAppUrl(): string | undefined {
    return this.config.get('SERVICE_GITHUB_APP_URL');
  }

  get githubWebhookSecret(): string | undefined {
    return this.config.get('SERVICE_GITHUB_WEBHOOK_SECRET');
  }

  get isProvisioningEnabled(): boolean {
    return this.config.get('SERVICE_GITLAB_PROVISIONING_ENABLED');
  }

  /** With which people authorize this service at a provider; undefined where that is not configured. */
  oauthClient(provider: Provider): OAuthClient | undefined {
    const isGithub = provider === 'github';
    const clientId = this.config.get(isGithub ? 'SERVICE_GITHUB_APP_CLIENT_ID' : 'SERVICE_GITLAB_APP_ID');
    const clientSecret = this.config.get(
      isGithub ? 'SERVICE_GITHUB_APP_CLIENT_SECRET' : 'SERVICE_GITLAB_APP_SECRET',
    );
    return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret };
  }

  /** The client id of the GitHub app, when the whole app is configured. */
  get githubClientId(): string | undefined {
    return this.githubApp && this.config.get('SERVICE_GITHUB_APP_CLIENT_ID');
  }

  get gitlabClientId(): string | undefined {
    return this.config.get('SERVICE_GITLAB_APP_ID');
  }

  /** An address of the API as providers and browsers reach it: `route` comes after `/api/v1`. */
  apiAddress(route: string): string {
    const base = this.config.get('SERVICE_API_BASE') ?? this.config.get('SERVICE_UI_BASE');
    return `${withoutSlash(base)}/api/v1${route}`;
  }

  get uiBase(): string {
    return this.config.get('SERVICE_UI_BASE');
  }

  /** Whether browsers reach this service by https. */
  get usesTls(): boolean {
    return this.uiBase.startsWith('https:');
  }

  /** A path of a browser cookie: what stands before the API's own path is part of it. */
  cookiePath(route: string): string {
    return `${new URL(this.apiAddress('')).pathname}${route}`;
  }

  requireEnabled(): void {
    if (!this.isEnabled) throw vcsErrors.ORCHESTRATION_DISABLED();
  }
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
