import {
  allProcessed,
  type CodeHosting,
  encryptionKeys,
  eventually,
  startCodeHosting,
} from '../support/code-hosting.js';
import type { GitlabProject } from '../support/code-hosts/gitlab-stand-in.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type Admin, anAdmin, call, must, startGenerous } from '../support/identity.js';
import { type RunningService, startService } from '../support/service.js';

const keyOf = (id: string): string => encryptionKeys().replace(/^[^:]+/, id);

describe('Rotation of the encryption keys', () => {
  const [oldKey, newKey] = [keyOf('old'), keyOf('new')];
  let database: TestDatabase;
  let hosts: CodeHosting;
  let admin: Admin;
  let group: { id: number };
  let project: GitlabProject;
  let secret: string;
  const started: RunningService[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    hosts = await startCodeHosting({ database, env: { SERVICE_ENCRYPTION_KEYS: oldKey } });
    admin = await anAdmin(hosts.api);
    group = hosts.gitlab.addGroup('platform');
    project = hosts.gitlab.addProject(group.id, 'infra');
    const body = { name: 'platform', group_id: group.id, access_token: hosts.gitlab.addGroupToken(group.id) };
    const path = `/tenants/${admin.tenantId}/vcs-installations/gitlab`;
    const made = await must<{ webhook_secret: string }>(hosts.api, 'POST', path, { as: admin.token, body });
    secret = made.webhook_secret;
  });
  afterAll(async () => {
    for (const service of started) await service.stop();
    await hosts.stop();
    await database.drop();
  });

  const environment = (keys: string) => ({ ...hosts.env, SERVICE_ENCRYPTION_KEYS: keys });
  const start = async (keys: string, role: 'api' | 'worker' = 'api'): Promise<RunningService> => {
    const service = await startGenerous({ role, database, env: environment(keys) });
    started.push(service);
    return service;
  };
  const deliver = (to: RunningService) =>
    hosts.gitlab.deliver(`${to.url}/api/v1/gitlab/events`, secret, {
      object_kind: 'push',
      project: hosts.gitlab.hookProject(project),
    });
  const read = async (from: RunningService) => {
    const path = `/gitlab/installations/${group.id}/repos/${project.id}/setup`;
    return (await call(from, 'GET', path, { as: admin.token })).status;
  };

  /** Names of the keys that seal something. */
  async function keysInUse(): Promise<string[]> {
    const values = [
      'group_credentials.access_token',
      'group_credentials.webhook_secret',
      'webhook_deliveries.body',
    ];
    const selects = values.map((value) => {
      const [table, column] = value.split('.');
      return `SELECT convert_from(substring(${column} FROM 3 FOR get_byte(${column}, 1)), 'UTF8') AS id FROM ${table}
               WHERE ${column} IS NOT NULL`;
    });
    const { rows } = await database.pool.query<{ id: string }>(selects.join(' UNION ') + ' ORDER BY id');
    return rows.map(({ id }) => id);
  }

  it('begins when a worker starts with a newer key, beside reads and writes, and ends with the old key gone', async () => {
    expect(await deliver(hosts.api)).toBe(200);
    await allProcessed(hosts.api);
    expect(await keysInUse()).toEqual(['old']);
    await hosts.worker.stop();
    await hosts.api.stop();

    // Without the old key nothing starts, and the start says which one is needed.
    await expect(startService({ database, env: environment(newKey) })).rejects.toThrow(
      /has no key \\?"old\\?"/,
    );

    const both = await start(`${newKey},${oldKey}`);
    const statuses = new Set<number>();
    let isRotating = true;
    const traffic = (async () => {
      while (isRotating) {
        statuses.add(await deliver(both));
        statuses.add(await read(both));
      }
    })();
    const worker = await start(`${newKey},${oldKey}`, 'worker');
    await eventually(async () => (await keysInUse()).join() === 'new');
    isRotating = false;
    await traffic;
    expect([...statuses]).toEqual([200]);
    await worker.stop();
    await both.stop();

    const after = await start(newKey);
    expect(await deliver(after)).toBe(200);
    expect(await read(after)).toBe(200);
  }, 300_000);
});
