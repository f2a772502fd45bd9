import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { aBackend, type TestBackend } from '../support/backend.js';
import { headOf, RawClient } from '../support/raw-client.js';
import { freePort } from '../support/service.js';

const PUBLIC = '/api/v1/login/password';
const hasNginx = spawnSync('nginx', ['-v']).status === 0;
if (!hasNginx) process.stderr.write('nginx is missing: the tests behind it are left out\n');

describe('The bodies of requests', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  async function refusal(path: string, body: string, key?: string): Promise<[number, unknown]> {
    const answer = await fetch(backend.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key ? { Authorization: `Bearer ${key}` } : {}) },
      body,
    });
    return [answer.status, await answer.json()];
  }

  const nested = (depth: number): string => `{"email":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const members = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 1])));
  const invalid = (data: string): unknown => ({ id: 'INVALID_REQUEST', data });

  it('bodies of public routes have at most 200 members, 20 levels and 64 KiB', async () => {
    expect(await refusal(PUBLIC, members(201))).toEqual([
      400,
      invalid('the body must not have more than 200 members'),
    ]);
    expect(await refusal(PUBLIC, nested(20))).toEqual([
      400,
      invalid('the body must not be nested more than 20 deep'),
    ]);
    expect((await refusal(PUBLIC, `{"email":"${'x'.repeat(64 * 1024)}"}`))[0]).toBe(413);
    expect(await refusal(PUBLIC, members(100))).toEqual([400, invalid('email is required')]);
  });

  it('bodies of other routes are refused in the same way above larger limits', async () => {
    const path = '/api/v1/user/access-tokens';
    expect((await refusal(path, nested(20_000), backend.key))[0]).toBe(400);
    expect((await refusal(path, members(30_000), backend.key))[0]).toBe(400);
    expect((await refusal(path, nested(20_000)))[0]).toBe(401);
    expect((await refusal(path, `"${'x'.repeat(2 ** 20)}"`, backend.key))[0]).toBe(413);
  });

  it.each([
    ['text/plain', 415],
    ['application/json; charset=utf-16', 400],
    ['application/json; charset="utf-7"', 400],
  ])('are not read as JSON when they say %s', async (type, status) => {
    const answer = await fetch(backend.url + PUBLIC, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: '{"email":"a@example.com","password":"12345678"}',
    });
    expect(answer.status).toBe(status);
  });

  it('are logged as cut off, and not as an error, when the client leaves', async () => {
    const client = await RawClient.open(backend.url);
    client.send(
      headOf('POST', PUBLIC, { 'Content-Type': 'application/json', 'Content-Length': 1000 }) + '{"email":',
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    client.end();
    while (!backend.service.output().includes('cut off by the client'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(backend.service.output()).not.toContain('unexpected error');
  });

  const lock = (size: number): string =>
    headOf('LOCK', `/api/v1/states/backend/${randomUUID()}`, {
      Authorization: `Bearer ${backend.key}`,
      'Content-Length': size,
    });

  it.each([70_000, 200_000, 5_000_000])(
    'of %i bytes that are too large leave the connection in order',
    async (size) => {
      const client = await RawClient.open(backend.url);
      client.send(lock(size));
      await client.sendAll(Buffer.alloc(size, 'x'));
      client.send(headOf('GET', '/api/v1/whoami', { Authorization: `Bearer ${backend.key}` }));
      expect(await client.statuses(2)).toEqual([413, 200]);
      client.end();
    },
  );

  it.each([
    ['without a credential', '/api/v1/user/access-tokens', 401],
    ['on an unknown route', '/api/v1/nowhere', 404],
  ])('that nobody reads %s leave the connection in order', async (_name, path, status) => {
    const client = await RawClient.open(backend.url);
    client.send(headOf('POST', path, { 'Content-Type': 'application/json', 'Content-Length': 900_000 }));
    await client.sendAll(Buffer.alloc(900_000, 'x'));
    client.send(headOf('GET', '/api/v1/whoami', { Authorization: `Bearer ${backend.key}` }));
    expect(await client.statuses(2)).toEqual([status, 200]);
    client.end();
  });

  it('are refused with an answer that arrives, though the connection is closed behind it', async () => {
    const client = await RawClient.open(backend.url);
    const size = 900_000;
    client.send(
      headOf('POST', '/api/v1/user/access-tokens', { Connection: 'close', 'Content-Length': size }),
    );
    await client.sendAll(Buffer.alloc(size, 'x'));
    expect(await client.statuses(1)).toEqual([401]);
    await client.untilClosed();
  });

  (hasNginx ? describe : describe.skip)('behind nginx', () => {
    const directory = mkdtempSync(join(tmpdir(), 'nginx-'));
    let nginx: ReturnType<typeof spawn>;
    let proxy: string;

    beforeAll(async () => {
      const port = await freePort();
      proxy = `http://127.0.0.1:${port}`;
      const upstream = new URL(backend.url).host;
      writeFileSync(
        join(directory, 'nginx.conf'),
        `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events {}
         http {
           access_log off;
           ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
           upstream api { server ${upstream}; keepalive 4; }
           server {
             listen 127.0.0.1:${port}; client_max_body_size 512m; proxy_request_buffering off; proxy_buffering off;
             location / { proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection ""; }
           }
         }`,
      );
      nginx = spawn('nginx', ['-c', join(directory, 'nginx.conf'), '-p', directory], { stdio: 'inherit' });
      while (!(await fetch(`${proxy}/health/live`).catch(() => undefined))?.ok)
        await new Promise((resolve) => setTimeout(resolve, 50));
    });
    afterAll(async () => {
      nginx.kill();
      await new Promise((resolve) => nginx.once('exit', resolve));
      rmSync(directory, { recursive: true, force: true });
    });

    it.each([150_000, 200_000, 400_000])(
      'a lock of %i bytes makes no request of others wait',
      async (size) => {
        for (let turn = 0; turn < 10; turn++) {
          const first = await RawClient.open(proxy);
          first.send(lock(size));
          first.send(Buffer.alloc(size, 'x'));
          await first.statuses(1);
          const second = await fetch(`${proxy}/api/v1/whoami`, {
            headers: { Authorization: `Bearer ${backend.key}` },
            signal: AbortSignal.timeout(20_000),
          });
          expect(second.status).toBe(200);
          await second.arrayBuffer();
          first.end();
        }
      },
    );
  });
});
