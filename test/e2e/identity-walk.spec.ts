import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptionKeys } from '../support/code-hosting.js';
import {
  type Admin,
  aKey,
  aManager,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  must,
  startGenerous,
} from '../support/identity.js';
import type { RunningService } from '../support/service.js';

interface Operation {
  'x-public'?: boolean;
  'x-capabilities'?: { any: string[]; scope: unknown };
}

const document = JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

/** The documented public routes: interface.md section 5 item 8 and contract-notes.md section 1. */
const PUBLIC = [
  'GET /health/live',
  'GET /health/ready',
  'GET /api/v1/health',
  'GET /api/v1/config-schema',
  'GET /api/v1/github/client_id',
  'POST /api/v1/github/events',
  'POST /api/v1/gitlab/events',
  'GET /api/v1/invitations/preview',
  'GET /api/v1/login/options',
  'POST /api/v1/login/password',
  'GET /api/v1/login/{provider}',
  'GET /api/v1/logout',
  'GET /api/v1/oauth2/{provider}/complete',
  'POST /api/v1/runner/claim',
  'POST /api/v1/runner/initiate',
  'GET /api/v1/server/config',
  'POST /api/v1/setup/admin',
  'POST /api/v1/setup/complete',
  'GET /api/v1/setup/status',
];
/** Everybody who is signed in: their own user, keys and tenants, and what is the same for all. */
const OWN =
  /\/(whoami|user\/.*|caps\/default|version|capabilities|openapi|tasks|tx\/session\/create|mql|mql\/schema|security\/checks|(github|gitlab)\/access-token|(github|gitlab)\/(link(\/\w+)?|installations)|github\/claim\/(start|callback))$/;

/** Fields that every route finds what it wants in, so that nobody is refused for a malformed body. */
const bodyFor = (tenantId: string) => ({
  name: 'walk',
  email: 'walk@example.com',
  password: 'long enough',
  new_password: 'long enough',
  token: 'walk',
  access_token: 'walk',
  tenant_id: tenantId,
  user_id: '00000000-0000-4000-8000-000000000000',
  is_instance_admin: true,
  capabilities: {},
  condition: { group: 'g' },
  grant: { commit: { tenants: [tenantId] } },
  ID: 'walk',
  Operation: 'OperationTypePlan',
  Info: '',
  Who: 'walk',
  Version: '1',
  Path: '',
});

describe('A walk over every route of the description', () => {
  let service: RunningService;
  let admin: Admin;
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ method: method.replace('x-', '').toUpperCase(), path, operation })),
  );

  /** Real ids of somebody else's things, so that what is refused is the caller and not the id. */
  const ids: Record<string, string> = {};
  let query: string;

  beforeAll(async () => {
    service = await startGenerous({
      env: {
        SERVICE_EDITION: 'enterprise',
        SERVICE_ORCHESTRATION_ENABLED: 'true',
        SERVICE_COST_ENABLED: 'true',
        SERVICE_ENCRYPTION_KEYS: encryptionKeys(),
      },
    });
    admin = await anAdmin(service);
    const asAdmin = (body: unknown) => ({ as: admin.token, body });
    const tenant = `/tenants/${admin.tenantId}`;
    const state = await must(service, 'POST', `${tenant}/states`, asAdmin({ name: 'theirs' }));
    const grant = { commit: { tenants: [admin.tenantId] } };
    const rule = asAdmin({ condition: { group: 'g' }, grant });
    const { id: taskId = '' } = await must(service, 'POST', '/tasks', { as: admin.token });
    const { invitation } = await must<{ invitation: { id: string } }>(
      service,
      'POST',
      `${tenant}/invitations`,
      asAdmin({ email: 'guest@example.com' }),
    );
    await aKey(service, admin);
    const { tokens } = await must<{ tokens: { id: string }[] }>(service, 'GET', '/user/access-tokens', {
      as: admin.token,
    });
    Object.assign(ids, {
      tenantId: admin.tenantId,
      stateId: state['id'],
      groupId: state['group_id'],
      workspace: 'default',
      ruleId: (await must(service, 'POST', `${tenant}/caps/group-rules`, rule))['id'],
      taskId,
    });
    const victim = (await aMember(service, admin)).id;
    query = `?user_id=${victim}&token_id=${tokens[0]?.id ?? ''}&id=${invitation.id}`;
  });
  afterAll(() => service.stop());

  const fill = (path: string) =>
    path
      .replace('/api/v1', '')
      .replace(/^\/api(?=\/github)/, '/..')
      .replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '1') + query;
  const send = (method: string, path: string, as: string | undefined) =>
    call(service, method, fill(path), {
      ...(as === undefined ? {} : { as }),
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: bodyFor(admin.tenantId) }),
    });
  const walk = async (as: string | undefined, allowed: readonly number[], skip: RegExp = /^$/) => {
    const open: string[] = [];
    for (const { method, path } of routes) {
      if (PUBLIC.includes(`${method} ${path}`) || skip.test(path)) continue;
      const { status } = await send(method, path, as);
      if (!allowed.includes(status)) open.push(`${method} ${path} answered ${status}`);
    }
    return open;
  };

  it('finds exactly the documented public ones', () => {
    const marked = routes
      .filter(({ operation }) => operation['x-public'])
      .map(({ method, path }) => `${method} ${path}`);
    expect(marked.filter((route) => !PUBLIC.includes(route))).toEqual([]);
    expect(routes.length).toBeGreaterThan(40);
  });

  it('is refused without a credential', async () => {
    expect(await walk(undefined, [401])).toEqual([]);
  });

  it('is refused with a revoked key and with one of a deleted user', async () => {
    const member = await aMember(service, admin);
    const [revoked, orphaned] = [await aKey(service, member), await aKey(service, member)];
    const { tokens } = await must<{ tokens: { id: string }[] }>(service, 'GET', '/user/access-tokens', {
      as: member.token,
    });
    await must(service, 'POST', `/user/access-tokens/revoke?token_id=${tokens[1]?.id ?? ''}`, {
      as: member.token,
    });
    const refreshIs403 = /access-token\/refresh$/;
    expect(await walk(revoked, [401], refreshIs403)).toEqual([]);
    await must(service, 'DELETE', `/users/delete?user_id=${member.id}`, { as: admin.token });
    expect(await walk(orphaned, [401], refreshIs403)).toEqual([]);
    expect(await walk(member.token, [401], refreshIs403)).toEqual([]);
  });

  it('is refused to a stranger, but for what is their own', async () => {
    const outsider = await anOutsider(service, admin);
    const neighbour = await aMember(service, admin, [await aTenant(service, admin)]);
    const chief = await aManager(service, admin, { tenant_admin: true }, [await aTenant(service, admin)]);
    for (const person of [outsider, neighbour, chief]) {
      for (const as of [person.token, await aKey(service, person)])
        expect(await walk(as, [401, 403, 404], OWN)).toEqual([]);
    }
  });

  it('is refused to a member wherever a capability is asked that members lack', async () => {
    const member = await aMember(service, admin);
    const open: string[] = [];
    for (const { method, path, operation } of routes) {
      const needs = operation['x-capabilities']?.any ?? [];
      if (!needs.some((name) => name === 'admin' || name === 'users-manage' || name === 'sudo')) continue;
      const { status } = await send(method, path, member.token);
      if (![403, 404].includes(status)) open.push(`${method} ${path} answered ${status}`);
    }
    expect(open).toEqual([]);
  });
});
