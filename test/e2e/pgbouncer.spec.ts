import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type Admin, anAdmin, call, must } from '../support/identity.js';
import { ask } from '../support/mql.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { startRedis, type TestRedis } from '../support/redis.js';
import { type RunningService, startService } from '../support/service.js';

const isThere = ['pgbouncer', 'redis-server'].every((name) => !spawnSync(name, ['--version']).error);
if (!isThere)
  process.stderr.write('pgbouncer or redis-server is missing: the tests behind them are left out\n');

/** As docs/operating.md says it has to be set up. Four connections for everything: statements of all kinds share each. */
(isThere ? describe : describe.skip).each([
  ['transaction', { DB_PREPARED_STATEMENTS: 'false' }, 4],
  ['session', {}, 40],
] as const)('Behind PgBouncer with %s pooling', (mode, settings, size) => {
  let database: TestDatabase;
  let redis: TestRedis;
  let pooler: PgBouncer;
  let service: RunningService;
  let root: Admin;

  const start = (role: 'api' | 'worker' = 'api'): Promise<RunningService> =>
    startService({
      role,
      database,
      env: { DB_PORT: String(pooler.port), SERVICE_REDIS_URL: redis.url, ...settings },
    });

  beforeAll(async () => {
    database = await freshDatabase();
    redis = await startRedis();
    pooler = await PgBouncer.start(database, { mode, size });
    service = await start();
    root = await anAdmin(service);
  });
  afterAll(async () => {
    await service.stop();
    await pooler.stop();
    await redis.stop();
    await database.drop();
  });

  it('many requests of every kind at once are answered', async () => {
    const tenant = `/tenants/${root.tenantId}`;
    const { token: key = '' } = await must(service, 'POST', '/user/access-tokens', {
      as: root.token,
      body: { name: 'k' },
    });
    const write = async (index: number): Promise<number> => {
      const state = await must(service, 'POST', `${tenant}/states`, { as: key, body: { name: `s${index}` } });
      const path = `/states/backend/${state['group_id']}`;
      const body = { version: 4, serial: 1, lineage: randomUUID(), outputs: {}, resources: [] };
      const written = await call(service, 'POST', path, { as: key, body });
      const read = await call(service, 'GET', path, { as: key });
      return Math.max(written.status, read.status);
    };
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, (_, index) => write(index)),
      ...Array.from({ length: 30 }, async () => (await call(service, 'GET', '/whoami', { as: key })).status),
      ...Array.from(
        { length: 2 },
        async () => (await ask(service.url, key, 'SELECT count(*) FROM states')).status,
      ),
      ...Array.from(
        { length: 10 },
        async () => (await call(service, 'GET', `${tenant}/tx`, { as: key })).status,
      ),
    ]);
    expect(answers.filter((status) => status !== 200)).toEqual([]);
  });

  it('two more replicas start at once, and the first one again: no lock of a session is left behind', async () => {
    const others = await Promise.all([start(), start('worker')]);
    for (const other of others) await other.stop();
    await service.kill9();
    await service.restart();
    expect((await call(service, 'GET', '/whoami', { as: root.token })).status).toBe(200);
    const { rows } = await database.pool
      .query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND database =
      (SELECT oid FROM pg_database WHERE datname = current_database())`);
    expect(rows).toEqual([]);
  });
});
