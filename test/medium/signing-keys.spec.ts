import { randomBytes } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import type { DataSource } from 'typeorm';
import { ServiceTokens } from '../../src/modules/access/service-tokens.js';
import { SigningKeys } from '../../src/modules/access/signing-keys.js';
import { formatEncryptionKeys, SealedColumns, Sealing } from '../../src/platform/crypto/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const DAY = 86_400;
const MAX_AGE = 90;
const REQUIRED = {
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'x',
  DB_USER: 'x',
  DB_PASS: 'x',
  DB_NAME: 'x',
};
const OLD = { id: 'old', key: randomBytes(32) };
const NEW = { id: 'new', key: randomBytes(32) };

class MovedClock extends Clock {
  seconds = 0;

  override now(): Date {
    return new Date(Date.now() + this.seconds * 1000);
  }
}

describe('Signing keys', () => {
  let database: TestDatabase;
  let source: DataSource;
  let clock: MovedClock;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await database.pool.query('DELETE FROM signing_keys');
    clock = new MovedClock();
  });

  const aReplica = (...encryptionKeys: (typeof OLD)[]) => {
    const text = formatEncryptionKeys(encryptionKeys);
    const sealing = new Sealing(
      loadConfig({ ...REQUIRED, ...(text === '' ? {} : { SERVICE_ENCRYPTION_KEYS: text }) }),
    );
    const work = new UnitOfWork(source);
    const columns = new SealedColumns(work, sealing);
    const keys = new SigningKeys(work, clock, new Secrets(), sealing, columns);
    keys.onModuleInit();
    const start = async () => {
      await columns.onApplicationBootstrap();
      await keys.onApplicationBootstrap();
    };
    const tokens = new ServiceTokens(keys, clock, new Secrets());
    const sign = () => tokens.sign({ use: 'session', sub: 'somebody', lifetimeSeconds: 30 * DAY });
    const accepts = async (token: string) => (await tokens.verify(token)) !== undefined;
    return { keys, columns, start, sign, accepts };
  };
  const keyOf = (token: string) => decodeProtectedHeader(token).kid;
  const count = async () => (await database.pool.query('SELECT 1 FROM signing_keys')).rows.length;

  it('are made once, whoever comes first', async () => {
    const replicas = [aReplica(), aReplica(), aReplica()];
    await Promise.all(replicas.map(({ keys }) => keys.onApplicationBootstrap()));
    expect(await count()).toBe(1);
  });

  it('are left alone until they are old, and replaced once', async () => {
    const [one, two] = [aReplica(), aReplica()];
    const first = keyOf(await one.sign());
    clock.seconds = (MAX_AGE - 1) * DAY;
    await one.keys.rotate(MAX_AGE);
    expect(await count()).toBe(1);
    clock.seconds = (MAX_AGE + 1) * DAY;
    await Promise.all([one.keys.rotate(MAX_AGE), two.keys.rotate(MAX_AGE)]);
    await one.keys.rotate(MAX_AGE);
    expect(await count()).toBe(2);
    expect(keyOf(await one.sign())).not.toBe(first);
  });

  it('verify what they signed until it ends, on every replica, and sign nothing more', async () => {
    const [one, two] = [aReplica(), aReplica()];
    clock.seconds = (MAX_AGE + 1) * DAY - 60;
    await one.keys.newest();
    await database.pool.query(`UPDATE signing_keys SET created_at = now() - interval '1 day'`);
    const old = await one.sign();
    expect(await two.accepts(old)).toBe(true);
    clock.seconds += 60;
    await one.keys.rotate(MAX_AGE);
    const fresh = await one.sign();
    expect(keyOf(fresh)).not.toBe(keyOf(old));
    // The other replica asks for a key that it does not know, and signs with it a minute later at the latest.
    for (const { accepts } of [one, two])
      expect([await accepts(old), await accepts(fresh)]).toEqual([true, true]);
    clock.seconds += 61;
    expect(keyOf(await two.sign())).toBe(keyOf(fresh));
    clock.seconds += 29 * DAY;
    for (const { accepts } of [one, two]) expect(await accepts(old)).toBe(true);
    clock.seconds += DAY;
    for (const { accepts } of [one, two])
      expect([await accepts(old), await accepts(fresh)]).toEqual([false, false]);
  });

  it('verify nothing once they are retired', async () => {
    const [one, two] = [aReplica(), aReplica()];
    const token = await one.sign();
    expect(await two.accepts(token)).toBe(true);
    await database.pool.query('UPDATE signing_keys SET retired_at = now()');
    clock.seconds += 61;
    expect(await two.accepts(token)).toBe(false);
    expect(keyOf(await two.sign())).not.toBe(keyOf(token));
  });

  describe('with encryption keys', () => {
    const stored = async () =>
      (
        await database.pool.query<{ secret: Buffer | null; sealed_secret: Buffer | null }>(
          'SELECT secret, sealed_secret FROM signing_keys ORDER BY created_at',
        )
      ).rows;
    const inClear = async () => (await stored()).filter(({ secret }) => secret !== null).length;

    it('are never stored in clear, and work on every replica that has the key', async () => {
      const [one, two] = [aReplica(OLD), aReplica(OLD)];
      await one.start();
      const token = await one.sign();
      clock.seconds = (MAX_AGE + 1) * DAY;
      await one.keys.rotate(MAX_AGE);
      expect([await count(), await inClear()]).toEqual([2, 0]);
      clock.seconds = 0;
      expect(await two.accepts(token)).toBe(true);
    });

    it('are sealed at the start when they were made before, and tokens go on working', async () => {
      const before = aReplica();
      await before.start();
      const token = await before.sign();
      expect(await inClear()).toBe(1);
      const after = aReplica(OLD);
      await after.start();
      expect(await inClear()).toBe(0);
      expect(await after.accepts(token)).toBe(true);
      clock.seconds = 61;
      expect(await after.accepts(token)).toBe(true);
    });

    it.each([
      ['without keys', []],
      ['with other keys', [NEW]],
    ])('stop a start %s, which names the key', async (_name, keys) => {
      await aReplica(OLD).start();
      await database.pool.query('UPDATE signing_keys SET retired_at = now()');
      await expect(aReplica(...keys).start()).rejects.toThrow(
        'SERVICE_ENCRYPTION_KEYS has no key "old", which seals values in signing_keys.sealed_secret',
      );
    });

    it('are wrapped with a newer key while they are used; then the older one can go', async () => {
      const [one, both] = [aReplica(OLD), aReplica(NEW, OLD)];
      await one.start();
      const token = await one.sign();
      await both.start();
      expect(await both.columns.reseal()).toBe(1);
      expect(await both.columns.reseal()).toBe(0);
      const last = aReplica(NEW);
      await last.start();
      expect(await last.accepts(token)).toBe(true);
    });
  });
});
