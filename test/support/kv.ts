import { randomUUID } from 'node:crypto';
import { call, must, type Person, type Reply } from './identity.js';
import type { RunningService } from './service.js';

export interface KvRecord {
  key: string;
  data?: string;
  idx: number;
  version: number;
  committed: boolean;
  created_at: string;
  size: number;
  read_caps?: unknown;
  write_caps?: unknown;
}

/** An installation as code hosting records it, linked to a tenant or to none. */
export async function anInstallation(
  service: Pick<RunningService, 'pool'>,
  { provider = 'github', tenantId }: { provider?: 'github' | 'gitlab'; tenantId?: string } = {},
): Promise<string> {
  const installationId = String(Math.floor(Math.random() * 1e12));
  await service.pool.query(
    `INSERT INTO installations (provider, installation_id, tenant_id, name, target_type, state, linked_at)
     VALUES ($1, $2, $3, $4, 'organization', 'active', CASE WHEN $3::uuid IS NULL THEN NULL ELSE now() END)`,
    [provider, installationId, tenantId ?? null, `org-${randomUUID()}`],
  );
  return installationId;
}

export interface KvCalls {
  put(key: string, body: Record<string, unknown>): Promise<Reply<KvRecord>>;
  get(key: string, query?: string): Promise<Reply<KvRecord>>;
  remove(key: string, query?: string): Promise<Reply<{ result: boolean }>>;
  cas(key: string, body: Record<string, unknown>): Promise<Reply<KvRecord>>;
  iterate(key: string, query?: string): Promise<Reply<{ records: KvRecord[]; has_more: boolean }>>;
  count(key: string, query?: string): Promise<Reply<{ count: number; max_idx: number }>>;
  size(key: string, query?: string): Promise<Reply<{ size: number }>>;
  commit(
    keys: readonly { key: string; idx?: number }[],
  ): Promise<Reply<{ keys: { key: string; idx: number }[] }>>;
}

/** The eight routes of one namespace for one caller. */
export function kvOf(
  service: Pick<RunningService, 'url'>,
  as: string | undefined,
  installationId: string,
  spelling = 'github',
): KvCalls {
  const path = (suffix: string, key?: string, query = ''): string =>
    `/${spelling}/kv/${installationId}/${suffix}${key === undefined ? '' : `/${encodeURIComponent(key)}`}${query}`;
  const who = as === undefined ? {} : { as };
  return {
    put: (key, body) => call(service, 'PUT', path('key', key), { ...who, body }),
    get: (key, query) => call(service, 'GET', path('key', key, query), who),
    remove: (key, query) => call(service, 'DELETE', path('key', key, query), who),
    cas: (key, body) => call(service, 'PUT', path('cas/key', key), { ...who, body }),
    iterate: (key, query) => call(service, 'GET', path('iter', key, query), who),
    count: (key, query) => call(service, 'GET', path('count/key', key, query), who),
    size: (key, query) => call(service, 'GET', path('size/key', key, query), who),
    commit: (keys) => call(service, 'POST', path('commit'), { ...who, body: { keys } }),
  };
}

/** An access token with these capabilities, by way of a refresh token (enterprise edition). */
export async function anAccessToken(
  service: RunningService,
  owner: Pick<Person, 'token'>,
  capabilities: readonly unknown[],
  spelling = 'github',
): Promise<string> {
  const { refresh_token: refresh = '' } = await must(service, 'POST', `/${spelling}/access-token`, {
    as: owner.token,
    body: { name: 'kv', capabilities },
  });
  const { token = '' } = await must(service, 'POST', '/access-token/refresh', { as: refresh });
  return token;
}
