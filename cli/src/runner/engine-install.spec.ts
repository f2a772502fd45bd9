import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineMirror, zipOf } from '../../../test/support/engine-mirror.js';
import { HttpFetch } from '../service/http-fetch.js';
import { findEngine } from './engine.js';

const VERSION = '9.9.9';
const SCRIPT = `#!/bin/sh\necho '{"terraform_version":"${VERSION}"}'\n`;

describe.each(['terraform', 'tofu'] as const)('The engine %s from a mirror', (name) => {
  let mirror: EngineMirror;
  let cache: string;
  const engine = { name, version: VERSION };

  beforeEach(async () => {
    cache = mkdtempSync(join(tmpdir(), 'engines-'));
    mirror = await EngineMirror.start(engine, SCRIPT);
  });
  afterEach(() => {
    mirror.stop();
    rmSync(cache, { recursive: true, force: true });
  });

  const env = (): Record<string, string> => ({
    PATH: process.env['PATH'] ?? '',
    INFRASTATE_ENGINE_MIRROR: mirror.url,
    INFRASTATE_ENGINE_CACHE: cache,
  });

  it('is downloaded once for runs at the same time, and kept for later ones', async () => {
    const found = await Promise.all([1, 2, 3].map(() => findEngine(engine, env(), cache)));
    const [program = ''] = found;
    expect(new Set(found)).toEqual(new Set([join(cache, name, VERSION, name)]));
    expect(execFileSync(program, { encoding: 'utf8' })).toContain(VERSION);
    expect(statSync(program).mode & 0o777).toBe(0o700);
    expect(mirror.requests).toEqual(mirror.oneDownload);
    expect(await findEngine(engine, env(), cache)).toBe(program);
    expect(mirror.requests).toHaveLength(2);
  });

  it.each([true, false])(
    'is downloaded with the fetch of the client (its own: %s), also from elsewhere',
    async (isOwn) => {
      const http = new HttpFetch();
      const { fetch } = globalThis;
      if (isOwn) globalThis.fetch = http.fetch as unknown as typeof fetch;
      try {
        mirror.isRedirecting = true;
        const program = await findEngine(engine, env(), cache);
        expect(execFileSync(program, { encoding: 'utf8' })).toContain(VERSION);
        expect(mirror.requests).toHaveLength(4);
      } finally {
        globalThis.fetch = fetch;
        http.close();
      }
    },
  );

  it('is refused with another checksum, and nothing of it is kept', async () => {
    mirror.archive = zipOf({ [name]: `${SCRIPT}# more\n` });
    await expect(findEngine(engine, env(), cache)).rejects.toThrow('does not have its checksum');
    expect(readdirSync(cache)).toEqual([]);
  });

  it('is refused when the list of checksums does not name it', async () => {
    mirror.sums = mirror.sums.replace(mirror.archiveName, 'another.zip');
    await expect(findEngine(engine, env(), cache)).rejects.toThrow('does not have its checksum');
  });

  it('is refused when the archive is damaged or has no such program', async () => {
    for (const damaged of [Buffer.from('no zip'), zipOf({ other: SCRIPT })]) {
      mirror.archive = damaged;
      mirror.sign();
      await expect(findEngine(engine, env(), cache)).rejects.toThrow(/archive/);
    }
  });

  it('says what to do when there is no mirror', async () => {
    const { INFRASTATE_ENGINE_MIRROR: _, ...without } = env();
    await expect(findEngine(engine, without, cache)).rejects.toThrow(`${name} ${VERSION} is asked for`);
  });
});

describe('An engine on the PATH', () => {
  it.each(['does not say its version', 'is downloaded'])(
    'that %s holds up no run that is stopped',
    async (what) => {
      const home = mkdtempSync(join(tmpdir(), 'engines-'));
      let hasAsked = (): void => undefined;
      const asked = new Promise<void>((resolve) => (hasAsked = resolve));
      // A mirror that never answers.
      const mirror = createServer(() => hasAsked()).listen(0, '127.0.0.1');
      await once(mirror, 'listening');
      try {
        const wait = what === 'is downloaded' ? 'exit 1' : 'exec sleep 300';
        writeFileSync(join(home, 'terraform'), `#!/bin/sh\ntouch ${home}/begun\n${wait}\n`, { mode: 0o755 });
        const env = {
          PATH: `${home}:${process.env['PATH'] ?? ''}`,
          INFRASTATE_ENGINE_MIRROR: `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`,
          INFRASTATE_ENGINE_CACHE: home,
        };
        const stopping = new AbortController();
        const stop = { signal: stopping.signal, killAfterMs: 1_000 };
        const found = findEngine({ name: 'terraform', version: VERSION }, env, home, stop);
        found.catch(() => undefined);
        if (what === 'is downloaded') await asked;
        else while (!existsSync(join(home, 'begun'))) await delay(20);
        stopping.abort();
        await expect(found).rejects.toThrow('the run was interrupted');
      } finally {
        mirror.closeAllConnections();
        mirror.close();
        rmSync(home, { recursive: true, force: true });
      }
    },
  );

  it('is taken when it has the version, and nothing is looked for', async () => {
    const text = execFileSync('terraform', ['version', '-json'], { encoding: 'utf8' });
    const { terraform_version: version } = JSON.parse(text) as { terraform_version: string };
    const env = { PATH: process.env['PATH'] ?? '', INFRASTATE_ENGINE_MIRROR: 'http://127.0.0.1:1/' };
    expect(await findEngine({ name: 'terraform', version }, env, tmpdir())).toBe('terraform');
  });
});
