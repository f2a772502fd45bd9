import { randomUUID } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aBackend } from '../support/backend.js';
import { aLine, BillFolder, focusCsv, type Source } from '../support/billing.js';
import {
  type Admin,
  aManager,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  matrix,
  must,
  type Person,
  type Reply,
  startGenerous,
} from '../support/identity.js';
import { eventually } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';

describe('Billing sources', () => {
  let service: RunningService;
  let worker: RunningService;
  let folder: BillFolder;
  let admin: Admin;
  let manager: Person;
  let member: Person;
  let outsider: Person;
  let other: string;

  beforeAll(async () => {
    folder = await BillFolder.create();
    const env = {
      SERVICE_COST_ENABLED: 'true',
      SERVICE_COST_PORT: '0',
      SERVICE_BILLING_SYNC_HOURS: '0',
      SERVICE_BILLING_FILE_ROOT: folder.root,
      SERVICE_BILLING_ALLOWED_SOURCES: 's3://allowed/bills',
    };
    service = await startGenerous({ env });
    worker = await startService({ role: 'worker', database: service.database, env });
    admin = await anAdmin(service);
    manager = await aManager(service, admin, { tenant_admin: true });
    member = await aMember(service, admin);
    outsider = await anOutsider(service, admin);
    other = await aTenant(service, admin);
  }, 120_000);
  afterAll(async () => {
    await worker.stop();
    await service.stop();
    await folder.remove();
  });

  const path = (suffix = '', tenantId = admin.tenantId): string =>
    `/tenants/${tenantId}/billing-sources${suffix}`;
  const create = (as: string | undefined, uri: string, tenantId = admin.tenantId): Promise<Reply<Source>> =>
    call(service, 'POST', path('', tenantId), {
      ...(as === undefined ? {} : { as }),
      body: { provider: 'aws', source_uri: uri },
    });
  const fresh = (): string => `s3://allowed/bills/${randomUUID()}.csv`;

  it('are for administrators of the tenant: access of every route', async () => {
    const callers = {
      anonymous: undefined,
      outsider: outsider.token,
      member: member.token,
      manager: manager.token,
      'installation admin': admin.token,
    };
    const who = (as: string | undefined): { as?: string } => (as === undefined ? {} : { as });
    const aSource = async (): Promise<string> => (await create(admin.token, fresh())).body.id;
    const routes: Record<
      string,
      { act: (as: string | undefined) => Promise<Reply<object>>; success: number }
    > = {
      'GET billing-sources': { act: (as) => call(service, 'GET', path(), who(as)), success: 200 },
      'POST billing-sources': { act: (as) => create(as, fresh()), success: 201 },
      'PUT billing-sources/{id}': {
        act: async (as) =>
          call(service, 'PUT', path(`/${await aSource()}`), { ...who(as), body: { enabled: false } }),
        success: 200,
      },
      'POST billing-sources/{id}/sync': {
        act: async (as) => call(service, 'POST', path(`/${await aSource()}/sync`), { ...who(as), body: {} }),
        success: 202,
      },
      'DELETE billing-sources/{id}': {
        act: async (as) => call(service, 'DELETE', path(`/${await aSource()}`), who(as)),
        success: 204,
      },
    };
    for (const [route, { act, success }] of Object.entries(routes))
      expect({ route, ...(await matrix(callers, act)) }).toEqual({
        route,
        anonymous: 401,
        outsider: 404,
        member: 403,
        manager: success,
        'installation admin': success,
      });
    for (const spend of ['costs/attribution', 'costs/unmanaged'])
      expect(
        await matrix(callers, (as) => call(service, 'GET', `/tenants/${admin.tenantId}/${spend}`, who(as))),
      ).toEqual({
        anonymous: 401,
        outsider: 404,
        member: 200,
        manager: 200,
        'installation admin': 200,
      });
  });

  it('are listed, changed in part, and answered whole', async () => {
    const uri = fresh();
    const created = await create(manager.token, uri);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      tenant_id: admin.tenantId,
      provider: 'aws',
      source_uri: uri,
      window_months: 2,
      enabled: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const changed = await must<Source>(service, 'PUT', path(`/${created.body.id}`), {
      as: manager.token,
      body: { region: 'eu-central-1', window_months: 120, enabled: false },
    });
    expect(changed).toEqual({
      ...created.body,
      region: 'eu-central-1',
      window_months: 120,
      enabled: false,
      updated_at: expect.any(String),
    });
    const { results } = await must<{ results: Source[] }>(service, 'GET', path(), { as: manager.token });
    expect(results.find(({ id }) => id === created.body.id)).toEqual(changed);
    const cleared = await must<Source>(service, 'PUT', path(`/${created.body.id}`), {
      as: manager.token,
      body: { region: null },
    });
    expect(cleared).not.toHaveProperty('region');
  });

  it('exist once for a provider and address', async () => {
    const uri = fresh();
    await create(admin.token, uri);
    const again = await create(admin.token, uri);
    expect([again.status, again.body.id]).toEqual([409, 'BILLING_SOURCE_EXISTS']);
    const { body: another } = await create(admin.token, fresh());
    const moved = await call(service, 'PUT', path(`/${another.id}`), {
      as: admin.token,
      body: { source_uri: uri },
    });
    expect(moved.status).toBe(409);
    expect((await create(admin.token, uri, other)).status).toBe(201);
  });

  it.each([
    [{ provider: 'ibm', source_uri: 's3://allowed/bills/a.csv' }, 'provider'],
    [{ source_uri: 's3://allowed/bills/a.csv' }, 'provider'],
    [{ provider: 'aws' }, 'source_uri'],
    [{ provider: 'aws', source_uri: 'http://169.254.169.254/latest' }, 'source_uri'],
    [{ provider: 'aws', source_uri: 's3://allowed/bills/../a' }, 'source_uri'],
    [{ provider: 'aws', source_uri: ['s3://allowed/bills/a'] }, 'source_uri'],
    [{ provider: 'aws', source_uri: 's3://allowed/bills/a', window_months: 0 }, 'window_months'],
    [{ provider: 'aws', source_uri: 's3://allowed/bills/a', window_months: 121 }, 'window_months'],
    [{ provider: 'aws', source_uri: 's3://allowed/bills/a', window_months: null }, 'window_months'],
    [{ provider: 'aws', source_uri: 's3://allowed/bills/a', enabled: 'yes' }, 'enabled'],
    [{ provider: 'aws', source_uri: 's3://allowed/bills/a', region: 5 }, 'region'],
  ])('refuses %j by the name of the field', async (body, field) => {
    const ids = async () => {
      const { results } = await must<{ results: Source[] }>(service, 'GET', path(), { as: admin.token });
      return results.map(({ id }) => id);
    };
    const before = await ids();
    const answer = await call(service, 'POST', path(), { as: admin.token, body });
    expect([answer.status, answer.body['id']]).toEqual([400, 'INVALID_REQUEST']);
    expect(String(answer.body['data'])).toContain(field);
    expect(await ids()).toEqual(before);
  });

  it('answers 404 to ids of other tenants, of nothing, and that are none', async () => {
    const { body: foreign } = await create(admin.token, fresh(), other);
    for (const id of [foreign.id, randomUUID(), 'x'])
      for (const [method, suffix, body] of [
        ['PUT', '', { enabled: true }],
        ['POST', '/sync', {}],
        ['DELETE', '', undefined],
      ] as const) {
        const answer = await call(service, method, path(`/${id}${suffix}`), {
          as: manager.token,
          ...(body ? { body } : {}),
        });
        expect([id, method, answer.status, answer.body['id']]).toEqual([
          id,
          method,
          404,
          'BILLING_SOURCE_NOT_FOUND',
        ]);
      }
  });

  it.each(['2026-02-30', 'today', '2026-01', '2026-01-01T00:00:00', 5])(
    'refuses to sync from %j',
    async (start) => {
      const { body: source } = await create(admin.token, fresh());
      const answer = await call(service, 'POST', path(`/${source.id}/sync`), {
        as: admin.token,
        body: { window_start: start },
      });
      expect(answer.status).toBe(400);
      expect(String(answer.body['data'])).toContain('window_start');
    },
  );

  it('let the administrator of a tenant name what the operator allows, and nothing else', async () => {
    const statuses = await Promise.all(
      [
        fresh(),
        's3://allowed/bills2/a.csv',
        's3://secret/a.csv',
        `file://${folder.root}/${admin.tenantId}/a.csv`,
        `file://${folder.root}/${other}/a.csv`,
        `file://${folder.root}/a.csv`,
        'file:///etc/passwd',
      ].map(async (uri) => (await create(manager.token, uri)).status),
    );
    expect(statuses).toEqual([201, 403, 403, 201, 403, 403, 403]);
    const { body: source } = await create(manager.token, fresh());
    const moved = await call(service, 'PUT', path(`/${source.id}`), {
      as: manager.token,
      body: { source_uri: 's3://secret/a.csv' },
    });
    expect([moved.status, moved.body['id']]).toEqual([403, 'SOURCE_NOT_ALLOWED']);
  });

  it('never follow a link out of the folder, at any sync', async () => {
    const own = join(folder.root, admin.tenantId);
    const foreign = join(folder.root, other);
    await mkdir(own, { recursive: true });
    await mkdir(foreign, { recursive: true });
    const bill = focusCsv([aLine()]);
    await writeFile(join(foreign, 'secret.csv'), bill);
    await symlink(join(foreign, 'secret.csv'), join(own, 'link.csv'));
    await symlink(foreign, join(own, 'folder'));
    await symlink('/etc', join(own, 'etc'));
    for (const name of ['link.csv', 'folder/secret.csv', 'folder/*.csv', '**', 'etc/*']) {
      const { body: source } = await create(manager.token, `file://${own}/${name}`);
      await must(service, 'POST', path(`/${source.id}/sync`), { as: manager.token, body: {} });
      const ended = await eventually('the sync', async () => {
        const { results } = await must<{ results: Source[] }>(service, 'GET', path(), { as: manager.token });
        const now = results.find(({ id }) => id === source.id);
        return now?.last_status === 'error' || now?.last_status === 'ok' ? now : undefined;
      });
      expect([name, ended.last_status, ended.last_error]).toEqual([
        name,
        'error',
        'no billing file (.csv, .csv.gz or .parquet) matches the address',
      ]);
    }
  });

  it('writes who created, changed, synced and deleted a source, and never a credential', async () => {
    const { rows } = await service.pool.query<{ action: string }>(
      `SELECT DISTINCT action FROM audit_entries WHERE object_type = 'billing-source' ORDER BY action`,
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'billing-source.create',
      'billing-source.delete',
      'billing-source.sync',
      'billing-source.update',
    ]);
  });
});

describe('Billing sources while costs are switched off', () => {
  it('can be configured and read, and sync answers 503 before it looks at ids', async () => {
    const backend = await aBackend();
    try {
      const path = `/tenants/${backend.tenantId}/billing-sources`;
      const created = await backend.api('POST', path, {
        body: { provider: 'aws', source_uri: 's3://bucket/a.csv' },
      });
      expect(created.status).toBe(201);
      const { id } = created.json() as Source;
      expect((await backend.api('PUT', `${path}/${id}`, { body: { enabled: false } })).status).toBe(200);
      expect((await backend.api('GET', path)).status).toBe(200);
      for (const sourceId of [id, 'x']) {
        const sync = await backend.api('POST', `${path}/${sourceId}/sync`, { body: {} });
        expect([sync.status, sync.json()]).toMatchObject([503, { id: 'COST_DISABLED' }]);
      }
      expect((await backend.api('GET', `/tenants/${backend.tenantId}/costs/attribution`)).status).toBe(200);
      expect((await backend.api('GET', `/tenants/${backend.tenantId}/costs/unmanaged`)).status).toBe(200);
      expect((await backend.api('DELETE', `${path}/${id}`)).status).toBe(204);
    } finally {
      await backend.stop();
    }
  });
});
