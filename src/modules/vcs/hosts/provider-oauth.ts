import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Provider } from '../entities/installation.entity.js';
import { vcsErrors } from '../vcs.errors.js';
import { idAt, listAt, numberAt, textAt, wordAt } from './json-fields.js';
import { type ProviderAnswer, type ProviderCall, ProviderRequests } from './provider-requests.js';
import { type OAuthClient, VcsSettings } from './vcs-settings.js';

export interface OAuthTokens {
  accessToken: string;
  /** good once */
  refreshToken: string | null;
  /** null: the token does not expire */
  expiresAt: Date | null;
}

export interface ProviderUser {
  accountId: string;
  username: string;
  avatarUrl: string | null;
}

/** The provider says that the grant has ended, or that the code was none. */
export class GrantRefused extends Error {}

/** Refusals of this service itself: a wrong client secret says nothing of anybody's grant. */
const OWN_MISTAKES: ReadonlySet<string> = new Set([
  ...['invalid_client', 'unauthorized_client', 'incorrect_client_credentials', 'redirect_uri_mismatch'],
  ...['invalid_request', 'unsupported_grant_type', 'application_suspended', 'Not Found'],
]);

const PATHS = {
  github: { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token', scope: '' },
  gitlab: { authorize: '/oauth/authorize', token: '/oauth/token', scope: 'read_user read_api' },
} as const;

/** Authorization of this service by a person, at either provider: codes with PKCE, refreshing, and who it is. */
@Injectable()
export class ProviderOAuth {
  constructor(
    private readonly settings: VcsSettings,
    private readonly requests: ProviderRequests,
    private readonly clock: Clock,
  ) {}

  /** Where to send the browser. */
  authorizeAddress(
    provider: Provider,
    { state, verifier, redirectUri }: { state: string; verifier: string; redirectUri: string },
  ): string {
    const url = new URL(`${this.settings.webBase(provider)}${PATHS[provider].authorize}`);
    const { scope } = PATHS[provider];
    const parameters = {
      client_id: this.client(provider).clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(scope === '' ? {} : { scope }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  async exchangeCode(
    provider: Provider,
    { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
  ): Promise<OAuthTokens> {
    return this.requestTokens(provider, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    });
  }

  async refresh(provider: Provider, refreshToken: string): Promise<OAuthTokens> {
    return this.requestTokens(provider, { grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  async findUser(provider: Provider, token: string): Promise<ProviderUser> {
    const { json } = (await this.ask(provider, { path: '/user', token })).orRefused();
    const accountId = idAt(json, 'id');
    const username = wordAt(json, provider === 'github' ? 'login' : 'username');
    if (accountId === undefined || username === undefined) throw vcsErrors.PROVIDER_REFUSED();
    return { accountId, username, avatarUrl: wordAt(json, 'avatar_url') ?? null };
  }

  /** A read with the person's own token. */
  async ask(
    provider: Provider,
    {
      path,
      route = path,
      token,
      query,
    }: { path: string; route?: string; token: string; query?: Record<string, string> },
  ): Promise<ProviderAnswer> {
    return this.requests.send(this.callOf(provider, { path, route, token, ...(query ? { query } : {}) }));
  }

  /** The items of every page; `key` is where a page keeps them, absent for a plain list. Throws `GrantRefused` on 401. */
  async list(
    provider: Provider,
    call: { path: string; token: string; key?: string; query?: Record<string, string> },
  ): Promise<unknown[]> {
    const { path, token, key, query } = call;
    const items: unknown[] = [];
    const request = this.callOf(provider, { path, route: path, token, ...(query ? { query } : {}) });
    for await (const answer of this.requests.pages(request)) {
      if (answer.status === 401) throw new GrantRefused('unauthorized');
      const { json } = answer.orRefused();
      items.push(...(key === undefined ? listAt({ items: json }, 'items') : listAt(json, key)));
    }
    return items;
  }

  private callOf(
    provider: Provider,
    {
      path,
      route,
      token,
      query,
    }: { path: string; route: string; token: string; query?: Record<string, string> },
  ): ProviderCall {
    return {
      provider,
      url: `${this.settings.apiBase(provider)}${path}`,
      route: `GET ${route}`,
      owner: `person ${createHash('sha256').update(token).digest('base64url')}`,
      token,
      ...(query === undefined ? {} : { query }),
      ...(provider === 'github' ? { accept: 'application/vnd.github+json' } : {}),
    };
  }

  private async requestTokens(provider: Provider, form: Record<string, string>): Promise<OAuthTokens> {
    const { clientId, clientSecret } = this.client(provider);
    const answer = await this.requests.send({
      provider,
      method: 'POST',
      url: `${this.settings.webBase(provider)}${PATHS[provider].token}`,
      route: 'POST /oauth/token',
      owner: 'oauth',
      form: { ...form, client_id: clientId, client_secret: clientSecret },
    });
    const { json } = answer;
    const accessToken = wordAt(json, 'access_token');
    // GitHub answers refusals with 200 and `error`.
    if (accessToken === undefined) {
      if (answer.status >= 500) throw vcsErrors.PROVIDER_UNAVAILABLE();
      const reason = textAt(json, 'error');
      if (reason === undefined || OWN_MISTAKES.has(reason)) throw vcsErrors.PROVIDER_REFUSED();
      throw new GrantRefused(reason);
    }
    const lifetime = numberAt(json, 'expires_in');
    return {
      accessToken,
      refreshToken: wordAt(json, 'refresh_token') ?? null,
      expiresAt: lifetime === undefined ? null : new Date(this.clock.now().getTime() + lifetime * 1000),
    };
  }

  private client(provider: Provider): OAuthClient {
    const client = this.settings.oauthClient(provider);
    if (!client) throw vcsErrors.LINKING_NOT_CONFIGURED();
    return client;
  }
}
