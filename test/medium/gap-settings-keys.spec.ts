import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CloudSettingsStore, SECRET_COLUMN } from '../../src/modules/gaps/settings/cloud-settings.store.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { formatEncryptionKeys, SealedColumns, Sealing } from '../../src/platform/crypto/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const REQUIRED = {
  ...{ SERVICE_UI_BASE: 'http://localhost', DB_HOST: 'x', DB_USER: 'x', DB_PASS: 'x', DB_NAME: 'x' },
};
const OLD = { id: 'old', key: randomBytes(32) };
const NEW = { id: 'new', key: randomBytes(32) };
const SECRET = 'azure-canary-secret~2';
const STORED = {
  provider: 'azure' as const,
  settings: { directoryId: 'd', clientId: 'c', subscriptions: ['s'] },
  secret: SECRET,
};

describe('Secrets of gap settings', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  /** A replica of the service that is configured with these keys, the newest first. */
  function aReplica(...keys: (typeof OLD)[]) {
    const text = formatEncryptionKeys(keys);
    const sealing = new Sealing(
      loadConfig({ ...REQUIRED, ...(text === '' ? {} : { SERVICE_ENCRYPTION_KEYS: text }) }),
    );
    const work = new UnitOfWork(source);
    const columns = new SealedColumns(work, sealing);
    columns.add(SECRET_COLUMN);
    return { columns, settings: new CloudSettingsStore(work, sealing, new Secrets(), new Clock()) };
  }

  async function aTenant(): Promise<string> {
    const id = randomUUID();
    await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [id, id]);
    return id;
  }

  async function keyIds(): Promise<string[]> {
    const { rows } = await database.pool.query<{ secret: Buffer }>('SELECT secret FROM gap_settings');
    return [...new Set(rows.map(({ secret }) => secret.subarray(2, 2 + (secret[1] ?? 0)).toString()))];
  }

  it('open under an older key, move to the newest one, and need the older one no more', async () => {
    const tenants = [await aTenant(), await aTenant()];
    for (const tenant of tenants) await aReplica(OLD).settings.replace(tenant, STORED, randomUUID());
    const both = aReplica(NEW, OLD);
    const secretsOf = (replica: typeof both) =>
      Promise.all(tenants.map(async (tenant) => (await replica.settings.find(tenant, 'azure'))?.settings));
    const expected = tenants.map(() => expect.objectContaining({ clientSecret: SECRET }) as object);
    expect(await secretsOf(both)).toEqual(expected);
    expect(await keyIds()).toEqual(['old']);

    await both.columns.reseal();
    expect(await keyIds()).toEqual(['new']);
    expect(await both.columns.reseal()).toBe(0);
    const rotated = aReplica(NEW);
    await rotated.columns.onApplicationBootstrap();
    expect(await secretsOf(rotated)).toEqual(expected);
  });

  it('keep a replica without their key from starting, which names the key and no secret', async () => {
    await aReplica(NEW).settings.replace(await aTenant(), STORED, randomUUID());
    const start = aReplica(OLD).columns.onApplicationBootstrap();
    await expect(start).rejects.toThrow('"new"');
    await expect(start).rejects.toThrow('gap_settings.secret');
    await expect(start).rejects.not.toThrow(SECRET);
  });

  it('cannot be moved to the row of another tenant', async () => {
    const [owner, thief] = [await aTenant(), await aTenant()];
    const { settings } = aReplica(NEW);
    for (const tenant of [owner, thief]) await settings.replace(tenant, STORED, randomUUID());
    await database.pool.query(
      `UPDATE gap_settings SET secret = (SELECT secret FROM gap_settings WHERE tenant_id = $1) WHERE tenant_id = $2`,
      [owner, thief],
    );
    await expect(settings.find(thief, 'azure')).rejects.toThrow();
    expect(await settings.find(owner, 'azure')).toBeDefined();
  });

  it('are refused without a key', async () => {
    const { settings } = aReplica();
    await expect(settings.replace(await aTenant(), STORED, randomUUID())).rejects.toMatchObject({
      id: 'ENCRYPTION_NOT_CONFIGURED',
    });
  });
});
