import { randomUUID } from 'node:crypto';
import type { Application } from './application.js';
import { type RunningService, type ServiceOptions, startService } from './service.js';

/** A process of the service, or its application in the process of the test. */
type Target = Pick<RunningService, 'url'> | Pick<Application, 'request'>;
type TargetWithDatabase = Target & Pick<RunningService, 'pool'>;

export interface Reply<Body = Record<string, unknown>> {
  status: number;
  body: Body;
  headers: Headers;
}

export interface Person {
  id: string;
  name: string;
  email: string;
  password: string;
  /** session token */
  token: string;
}

export interface Admin extends Person {
  /** the tenant made by setup */
  tenantId: string;
}

/** Limits out of the way of tests that are not about them. */
export const GENEROUS = {
  SERVICE_LOGIN_RATE_PER_ADDRESS: '100000',
  SERVICE_SETUP_RATE_PER_ADDRESS: '100000',
  SERVICE_INVITE_RATE_PER_ADDRESS: '100000',
  SERVICE_INVITES_PER_INVITER_HOUR: '100000',
  SERVICE_INVITES_PER_TENANT_DAY: '100000',
};

export function startGenerous(options: ServiceOptions = {}): Promise<RunningService> {
  return startService({ ...options, env: { ...GENEROUS, ...options.env } });
}

/** One API call; `as` is sent as bearer. Redirects are not followed. */
export async function call<Body = Record<string, unknown>>(
  service: Target,
  method: string,
  path: string,
  details: { as?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply<Body>> {
  if ('request' in service) {
    const answer = await service.request(method, path, details);
    return { status: answer.status, body: answer.body as Body, headers: headersOf(answer.headers) };
  }
  const { as, body, headers } = details;
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(as === undefined ? {} : { Authorization: `Bearer ${as}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  return { status: answer.status, body: parsed as Body, headers: answer.headers };
}

function headersOf(received: Record<string, string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const each of [value].flat()) headers.append(name, each);
  return headers;
}

/** As `call`, for arranging: anything but a success is an error. */
export async function must<Body = Record<string, string>>(
  ...parameters: Parameters<typeof call>
): Promise<Body> {
  const reply = await call(...parameters);
  if (reply.status >= 300) {
    throw new Error(
      `${parameters[1]} ${parameters[2]} answered ${reply.status} ${JSON.stringify(reply.body)}`,
    );
  }
  return reply.body as Body;
}

/** Sets a new installation up. */
export async function anAdmin(service: TargetWithDatabase): Promise<Admin> {
  const email = `admin-${randomUUID()}@example.com`;
  const password = 'correct horse battery';
  const body = { email, password, name: 'Ada', organization: 'Example' };
  const { session_token: token = '', user_id: id = '' } = await must(service, 'POST', '/setup/admin', {
    body,
  });
  const { results } = await must<{ results: { id: string; name: string }[] }>(
    service,
    'GET',
    '/user/tenants',
    {
      as: token,
    },
  );
  const tenantId = results.find((tenant) => tenant.name === 'Example')?.id ?? '';
  return { id, name: 'Ada', email, password, token, tenantId };
}

export async function signIn(service: TargetWithDatabase, email: string, password: string): Promise<string> {
  const { session_token: token = '' } = await must(service, 'POST', '/login/password', {
    body: { email, password },
  });
  return token;
}

/** Somebody who is a member of the given tenants and of no others. */
export async function aMember(
  service: TargetWithDatabase,
  admin: Admin,
  tenantIds: readonly string[] = [admin.tenantId],
): Promise<Person> {
  const name = `member ${randomUUID()}`;
  const email = `${randomUUID()}@example.com`;
  const password = 'a password of theirs';
  const { id = '' } = await must(service, 'POST', '/users', {
    as: admin.token,
    body: { name, email, password },
  });
  await service.pool.query('DELETE FROM tenant_members WHERE user_id = $1', [id]);
  for (const tenantId of tenantIds) {
    await must(service, 'POST', `/tenants/${tenantId}/members`, { as: admin.token, body: { user_id: id } });
  }
  return { id, name, email, password, token: await signIn(service, email, password) };
}

export function anOutsider(service: TargetWithDatabase, admin: Admin): Promise<Person> {
  return aMember(service, admin, []);
}

/** A member who administers the tenants, or manages their users. */
export async function aManager(
  service: TargetWithDatabase,
  admin: Admin,
  right: { tenant_admin?: boolean; can_manage_users?: boolean },
  tenantIds: readonly string[] = [admin.tenantId],
): Promise<Person> {
  const person = await aMember(service, admin, tenantIds);
  for (const tenantId of tenantIds) {
    const path = `/tenants/${tenantId}/members/set-role?user_id=${person.id}`;
    await must(service, 'POST', path, { as: admin.token, body: right });
  }
  return person;
}

export async function aTenant(service: TargetWithDatabase, admin: Admin): Promise<string> {
  const { id = '' } = await must(service, 'POST', '/tenants', {
    as: admin.token,
    body: { name: `tenant ${randomUUID()}` },
  });
  return id;
}

export async function aKey(
  service: TargetWithDatabase,
  owner: Pick<Person, 'token'>,
  capabilities?: Record<string, unknown>,
): Promise<string> {
  const { token = '' } = await must(service, 'POST', '/user/access-tokens', {
    as: owner.token,
    body: { name: 'a key', ...(capabilities === undefined ? {} : { capabilities }) },
  });
  return token;
}

/** Statuses of one call for a table of callers: who is refused is the first thing every family shows. */
export async function matrix(
  callers: Readonly<Record<string, string | undefined>>,
  act: (as: string | undefined) => Promise<Pick<Reply, 'status'>>,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (const [name, as] of Object.entries(callers)) statuses[name] = (await act(as)).status;
  return statuses;
}
