import { decodeProtectedHeader } from 'jose';
import type { DataSource } from 'typeorm';
import { ServiceTokens } from '../../src/modules/access/service-tokens.js';
import { SigningKeys } from '../../src/modules/access/signing-keys.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const DAY = 86_400;
const MAX_AGE = 90;

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

  const aReplica = () => {
    const keys = new SigningKeys(new UnitOfWork(source), clock, new Secrets());
    const tokens = new ServiceTokens(keys, clock, new Secrets());
    const sign = () => tokens.sign({ use: 'session', sub: 'somebody', lifetimeSeconds: 30 * DAY });
    const accepts = async (token: string) => (await tokens.verify(token)) !== undefined;
    return { keys, sign, accepts };
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
});
