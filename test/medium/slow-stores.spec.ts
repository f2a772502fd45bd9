import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { AzureStore } from '../../src/modules/billing/stores/azure.store.js';
import type { BillingStore } from '../../src/modules/billing/stores/billing-store.js';
import { GoogleStore } from '../../src/modules/billing/stores/google.store.js';
import { ByteBudget, downloadObject } from '../../src/modules/billing/stores/object-download.js';
import { S3Store } from '../../src/modules/billing/stores/s3.store.js';
import { GoogleStorage } from '../support/google-storage.js';
import { HeldStore } from '../support/held-store.js';

const SILENCE_MS = 400;
const SLOW = 'the store did not answer in time';
const OBJECT = { name: 'a.csv', size: 8, modifiedAt: 0 };
const NEVER = new AbortController().signal;

/** The limit is reached however fast the machine is: these stores never send what is waited for. */
describe('A billing store that sends nothing', () => {
  let folder: string;
  let held: HeldStore;
  let silent: Server;
  let silentUrl: string;
  let google: GoogleStorage;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'silence-'));
    google = await GoogleStorage.start();
    await google.writeKeyFile(join(folder, 'google.json'));
    held = await HeldStore.start();
    held.content = '12345678';
    silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    silentUrl = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  });
  afterEach(() => held.release());
  afterAll(async () => {
    await google.stop();
    await held.stop();
    silent.closeAllConnections();
    silent.close();
    await rm(folder, { recursive: true, force: true });
  });

  const s3 = (endpoint = held.url): S3Store =>
    new S3Store({
      bucket: 'bills',
      path: '**',
      region: 'us-east-1',
      endpoint,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      silenceMs: SILENCE_MS,
    });

  it('ends the listing in the middle of its pages', async () => {
    held.hold('listing');
    await expect(s3().list(NEVER)).rejects.toThrow(SLOW);
  });

  it('ends the opening of an object', async () => {
    held.hold('object');
    await expect(s3().open(OBJECT, NEVER)).rejects.toThrow(SLOW);
  });

  it('ends an object that stops in the middle, and closes its connection', async () => {
    held.hold('half of an object');
    const path = join(folder, 'half.csv');
    const from = await s3().open(OBJECT, NEVER);
    const budget = new ByteBudget(1_000);
    await expect(
      downloadObject({
        ...{ from, path, budget, isPacked: false, size: 8, silenceMs: SILENCE_MS, signal: NEVER },
      }),
    ).rejects.toThrow('the store stopped sending');
    await passed(() => from.destroyed);
  });

  it('says that the sync was stopped when that is why the request ended', async () => {
    held.hold('listing');
    const stop = new AbortController();
    const listed = s3().list(stop.signal);
    stop.abort();
    await expect(listed).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each(['s3', 'google', 'google that signs in', 'azure'])(
    'is given up by the client of %s',
    async (kind) => {
      const account = JSON.parse(await readFile(join(folder, 'google.json'), 'utf8')) as object;
      const keyFile = join(folder, 'silent.json');
      await writeFile(keyFile, JSON.stringify({ ...account, token_uri: silentUrl }));
      const place = { bucket: 'bills', path: '**', silenceMs: SILENCE_MS };
      const stores: Record<string, () => BillingStore> = {
        s3: () => s3(silentUrl),
        google: () =>
          new GoogleStore({ ...place, endpoint: silentUrl, keyFile: join(folder, 'google.json') }),
        'google that signs in': () => new GoogleStore({ ...place, endpoint: google.url, keyFile }),
        azure: () =>
          new AzureStore({
            ...{ account: 'a', container: 'c', path: '**', endpoint: silentUrl, silenceMs: SILENCE_MS },
            credentials: { account: undefined, key: undefined, sasToken: 'sig=x', principal: undefined },
          }),
      };
      await expect(stores[kind]?.().list(NEVER)).rejects.toThrow(SLOW);
      await expect(stores[kind]?.().open(OBJECT, NEVER)).rejects.toThrow(SLOW);
    },
  );
});

describe('A billing store that sends slowly', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slow-'));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });
  afterEach(async () => {
    jest.useRealTimers();
    await rm(folder, { recursive: true, force: true });
  });

  it('is read to its end as long as every part comes in time, however long that takes', async () => {
    const from = new PassThrough();
    const path = join(folder, 'a.csv');
    const done = downloadObject({
      ...{ from, path, budget: new ByteBudget(1_000), isPacked: false, size: 30 },
      ...{ silenceMs: 60_000, signal: NEVER },
    });
    for (let part = 0; part < 10; part++) {
      from.write('abc');
      await passed(() => from.readableLength === 0);
      jest.advanceTimersByTime(59_000);
    }
    from.end();
    await done;
    expect(await readFile(path, 'utf8')).toBe('abc'.repeat(10));
  });
});

/** Turns of the event loop until something holds; the clock stands still meanwhile. */
async function passed(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20 || !holds(); turn++) await new Promise((resolve) => setImmediate(resolve));
}
