import { randomUUID } from 'node:crypto';
import {
  allProcessed,
  Browser,
  type CodeHosting,
  encryptionKeys,
  eventually,
  startCodeHosting,
} from '../support/code-hosting.js';
import type { GitlabProject } from '../support/code-hosts/gitlab-stand-in.js';
import { type Admin, aMember, anAdmin, call, must, type Person, startGenerous } from '../support/identity.js';
import { type RunningService, startService } from '../support/service.js';

const keyOf = (id: string) => encryptionKeys().replace('test:', `${id}:`);
const SEALED = [
  ['group_credentials', 'access_token'],
  ['group_credentials', 'webhook_secret'],
  ['linked_accounts', 'access_token'],
  ['linked_accounts', 'refresh_token'],
  ['webhook_deliveries', 'body'],
] as const;

describe('Secrets of code hosts while the encryption key is replaced', () => {
  const [older, newer] = [keyOf('older'), keyOf('newer')];
  let hosts: CodeHosting;
  let admin: Admin;
  let person: Person;
  let project: GitlabProject;
  let secret: string;
  const running: RunningService[] = [];

  beforeAll(async () => {
    hosts = await startCodeHosting({ env: { SERVICE_ENCRYPTION_KEYS: older } });
    admin = await anAdmin(hosts.api);
    person = await aMember(hosts.api, admin);
    hosts.gitlab.addUser('owner');
    const group = hosts.gitlab.addGroup('platform', { owner: 50 });
    project = hosts.gitlab.addProject(group.id, 'network', { 'main.tf': '' });
    const made = await must(hosts.api, 'POST', `/tenants/${admin.tenantId}/vcs-installations/gitlab`, {
      as: admin.token,
      body: { name: 'platform', group_id: group.id, access_token: hosts.gitlab.addGroupToken(group.id) },
    });
    secret = made['webhook_secret'] ?? '';
    hosts.gitlab.signedInAs = 'owner';
    await new Browser(hosts.api, person).walk('/api/v1/gitlab/link/start?rd=/');
    await send(hosts.api);
    await allProcessed(hosts.api);
  });
  afterAll(async () => {
    for (const service of running) await service.stop();
    await hosts.stop();
  });

  const send = (to: RunningService, id = randomUUID()) =>
    hosts.gitlab.deliver(
      `${to.url}/api/v1/gitlab/events`,
      secret,
      {
        object_kind: 'push',
        project: hosts.gitlab.hookProject(project),
        ref: 'refs/heads/main',
        after: 'a'.repeat(40),
      },
      { id },
    );

  async function start(role: 'api' | 'worker', keys: string): Promise<RunningService> {
    const env = { ...hosts.env, SERVICE_ENCRYPTION_KEYS: keys };
    const service = await startGenerous({ role, database: hosts.api.database, env });
    running.push(service);
    return service;
  }

  /** Values in every sealed column that a key wraps. */
  async function sealedBy(id: string): Promise<number[]> {
    return Promise.all(
      SEALED.map(async ([table, column]) => {
        const { rows } = await hosts.api.pool.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM ${table} WHERE substring(${column} FROM 3 FOR $2::int) = convert_to($1, 'UTF8')`,
          [id, id.length],
        );
        return rows[0]?.n ?? 0;
      }),
    );
  }

  it('open before, meanwhile and afterwards, and the older key can go', async () => {
    // Bodies that wait are sealed by the older key as well.
    await hosts.worker.kill9();
    const waiting = await Promise.all(Array.from({ length: 150 }, () => send(hosts.api)));
    expect(new Set(waiting)).toEqual(new Set([200]));
    expect((await sealedBy('older')).every((count) => count > 0)).toBe(true);
    const api = await start('api', `${newer},${older}`);
    await hosts.api.kill9();
    await start('worker', `${newer},${older}`);
    let sent = 0;
    await eventually(async () => {
      expect(await send(api)).toBe(200);
      sent += 1;
      expect((await call(api, 'GET', '/gitlab/groups', { as: person.token })).status).toBe(200);
      return (await sealedBy('older')).every((count) => count === 0);
    });
    await allProcessed(api);
    const { rows } = await hosts.api.pool.query<{ state: string; n: number }>(
      `SELECT state, count(*)::int AS n FROM webhook_deliveries WHERE event = 'push' GROUP BY state`,
    );
    expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(1 + 150 + sent);
    expect(rows.map(({ state }) => state)).not.toContain('failed');

    for (const service of running.splice(0)) await service.stop();
    const alone = await start('api', newer);
    await start('worker', newer);
    expect(await send(alone)).toBe(200);
    expect((await call(alone, 'GET', '/gitlab/groups', { as: person.token })).status).toBe(200);
    await allProcessed(alone);
  });

  it('stop the start when their key is missing, and name it', async () => {
    const env = { ...hosts.env, SERVICE_ENCRYPTION_KEYS: keyOf('another') };
    await expect(startService({ database: hosts.api.database, env })).rejects.toThrow(/no key \\?"newer\\?"/);
  });
});
