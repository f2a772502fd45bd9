import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { aBackend, type TestBackend } from '../support/backend.js';

const ROOT = join(__dirname, '..', '..');
const SDK = join(ROOT, 'sdk');

/** The code of docs/sdk.md as one module that prints what it found. */
function examples(): { imports: string[]; lines: string[]; count: number } {
  const blocks = [
    ...readFileSync(join(ROOT, 'docs', 'sdk.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g),
  ].map(([, code = '']) => code.split('\n'));
  const all = blocks.flat();
  return {
    imports: all.filter((line) => line.startsWith('import ')),
    lines: all.filter((line) => !line.startsWith('import ')),
    count: blocks.length,
  };
}

describe('The SDK, packed and installed into an empty project', () => {
  let backend: TestBackend;
  let project: string;
  beforeAll(async () => {
    backend = await aBackend();
    project = mkdtempSync(join(tmpdir(), 'sdk-project-'));
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', project], {
      cwd: SDK,
      encoding: 'utf8',
    }).trim();
    writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true }');
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(project, packed)], {
      cwd: project,
    });
  }, 120_000);
  afterAll(async () => {
    rmSync(project, { recursive: true, force: true });
    await backend?.stop();
  });

  function run(name: string, code: string): unknown {
    writeFileSync(join(project, name), code);
    return JSON.parse(
      execFileSync(process.execPath, [join(project, name)], {
        encoding: 'utf8',
        env: { ...process.env, BASE_URL: backend.url, KEY: backend.key, TENANT_ID: backend.tenantId },
      }),
    );
  }
  const GIVEN = 'const { BASE_URL: baseUrl, KEY: key, TENANT_ID: tenantId } = process.env;';

  it('runs every example of docs/sdk.md as an ES module', () => {
    const { imports, lines, count } = examples();
    expect(count).toBeGreaterThanOrEqual(10);
    const shown =
      '{ serial: written.serial, same: Buffer.from(bytes).toString() === document, size, names, rows: rows.length, big, refusal, lock, outcome }';
    const code = [...imports, GIVEN, ...lines, `console.log(JSON.stringify(${shown}))`].join('\n');
    expect(run('examples.mjs', code)).toEqual({
      serial: 1,
      same: true,
      size: 114,
      names: ['network'],
      rows: 1,
      big: '9007199254740993',
      refusal: { status: 404, id: 'STATE_NOT_FOUND', requestId: expect.any(String) as string },
      lock: { locked: false },
      outcome: 'TASK_ABORTED',
    });
  });

  it('is loaded as CommonJS', () => {
    const code = `${GIVEN}
      const { bodyOf, connect, tenantStatesList } = require('@infrastate/sdk');
      const client = connect({ baseUrl, key });
      bodyOf(tenantStatesList({ client, path: { tenantId } })).then((body) => console.log(JSON.stringify(Object.keys(body))));`;
    expect(run('example.cjs', code)).toEqual(['results']);
  });

  it.each(['example.mts', 'example.cts'])('has types for strict compilation (%s)', (name) => {
    writeFileSync(
      join(project, name),
      `import { type ApiError, bodyOf, connect, exactly, mqlQuery, pages, tenantStatesList, usersList } from '@infrastate/sdk';
       const client = connect({ baseUrl: 'http://localhost', key: 'x', retry: { attempts: 2 }, timeout: 1 });
       export async function use(tenantId: string): Promise<number> {
         const { results } = await bodyOf(tenantStatesList({ client, path: { tenantId }, query: { limit: 5, sort: 'name' } }));
         for await (const state of pages(tenantStatesList, { client, path: { tenantId } })) { const serial: number = state.serial; void serial; }
         for await (const user of pages(usersList, { client })) { const type: 'api' | 'system' | 'user' = user.type; void type; }
         await exactly(mqlQuery, { client, query: { q: 'SELECT 1' } });
         return results.length;
       }
       export const status = (error: ApiError): number => error.status;`,
    );
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom,dom.iterable,dom.asynciterable',
      '--ignoreConfig',
    ];
    const compile = (): unknown =>
      execFileSync(process.execPath, [tsc, ...flags, name], {
        cwd: project,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(compile()).toBe('');
  });

  it('packs only what is used, under the version of the API', () => {
    const installed = join(project, 'node_modules', '@infrastate', 'sdk');
    const files = execFileSync('find', [installed, '-type', 'f', '-printf', '%P\n'], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const odd = files.filter(
      (file) =>
        !/^((dist|esm)\/.*\.(js|d\.ts)|esm\/package\.json|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(
          file,
        ),
    );
    expect(odd).toEqual([]);
    const version = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    const { info } = JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')) as {
      info: { version: string };
    };
    expect(version(join(installed, 'package.json'))).toBe(info.version);
  });

  it('leaves a bundle for browsers only what is used, and nothing of Node.js', async () => {
    const entry = join(project, 'bundled.mjs');
    writeFileSync(
      entry,
      `import { bodyOf, connect, statesGet } from '@infrastate/sdk';
       export const read = (baseUrl, stateId) => bodyOf(statesGet({ client: connect({ baseUrl, cookie: true }), path: { stateId } }));`,
    );
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
    });
    const text = outputFiles[0]?.text ?? '';
    expect(text).toContain('/api/v1/states/{stateId}');
    expect(text).not.toContain('/api/v1/mql');
    // The whole SDK takes 53 kB, this 13 kB.
    expect(text.length).toBeLessThan(20_000);
  });

  describe('against a service that is busy, gone or slow', () => {
    let server: Server;
    let answers: ((
      count: number,
    ) => { status: number; headers?: Record<string, string> } | 'cut' | 'silent')[];
    let count = 0;
    beforeAll(async () => {
      server = createServer((request, response) => {
        request.resume();
        const answer = answers[0]?.(++count) ?? { status: 200 };
        if (answer === 'silent') return;
        if (answer === 'cut') return void request.socket.destroy();
        response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
        response.end(answer.status < 300 ? '{"results":[]}' : '{"id":"BUSY","data":"try again"}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    async function outcome(call: string, options = '{}', answer: (typeof answers)[0]): Promise<unknown> {
      count = 0;
      answers = [answer];
      const { port } = server.address() as AddressInfo;
      const code = `const sdk = require('@infrastate/sdk');
        const client = sdk.connect({ baseUrl: 'http://127.0.0.1:${port}', key: 'x', ...${options} });
        const path = { tenantId: 't', txId: 't' };
        const isError = (error) => error instanceof Error && error instanceof sdk.ApiError;
        ${call}.then(() => 'ok', (error) => isError(error) ? [error.status, error.id, error.retryAfter] : error.name)
          .then((result) => console.log(JSON.stringify(result === undefined ? null : result)));`;
      writeFileSync(join(project, 'busy.cjs'), code);
      const { execFile } = await import('node:child_process');
      const text = await new Promise<string>((resolve, reject) =>
        execFile(process.execPath, [join(project, 'busy.cjs')], (error, stdout) =>
          error ? reject(new Error(error.message)) : resolve(stdout),
        ),
      );
      return JSON.parse(text);
    }
    const LIST = 'sdk.tenantStatesList({ client, path })';

    it('tries again what does no harm, and a POST only where it is idempotent', async () => {
      const busyTwice = (n: number) => ({ status: n < 3 ? 503 : 200, headers: { 'retry-after': '0' } });
      expect([await outcome(LIST, '{}', busyTwice), count]).toEqual(['ok', 3]);
      expect([await outcome('sdk.transactionsAbort({ client, path })', '{}', busyTwice), count]).toEqual([
        'ok',
        3,
      ]);
      const create = "sdk.tenantStatesCreate({ client, path, body: { name: 'x' } })";
      expect([await outcome(create, '{}', busyTwice), count]).toEqual([[503, 'BUSY', 0], 1]);
      expect([await outcome(LIST, '{ retry: false }', busyTwice), count]).toEqual([[503, 'BUSY', 0], 1]);
      expect([await outcome(LIST, '{}', (n) => (n < 3 ? 'cut' : { status: 200 })), count]).toEqual(['ok', 3]);
    });

    it('gives up with an error that says what happened, and never after the deadline', async () => {
      const busy = () => ({ status: 503, headers: { 'retry-after': '60' } });
      expect([await outcome(LIST, '{ timeout: 2000 }', busy), count]).toEqual([[503, 'BUSY', 60], 1]);
      expect(await outcome(LIST, '{ retry: { attempts: 2 } }', () => 'cut')).toEqual([
        0,
        'UNREACHABLE',
        null,
      ]);
      expect(await outcome(LIST, '{ timeout: 500 }', () => 'silent')).toEqual([0, 'TIMEOUT', null]);
      const cancelled = 'sdk.tenantStatesList({ client, path, signal: AbortSignal.timeout(300) })';
      expect(await outcome(cancelled, '{}', () => 'silent')).toBe('TimeoutError');
    });
  });
});
