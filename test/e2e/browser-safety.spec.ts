import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../support/backend.js';
import { type Admin, anAdmin, call, must, startGenerous } from '../support/identity.js';
import { freePort, type RunningService, startService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

const ROOT = join(__dirname, '..', '..');
interface Operation {
  'x-public'?: boolean;
}
const document = JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const NOBODYS = '00000000-0000-4000-8000-000000000000';
const unsafe = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .map((method) => method.replace('x-', '').toUpperCase())
    .filter((method) => !['GET', 'HEAD', 'OPTIONS', 'PARAMETERS'].includes(method))
    .map((method) => ({ method, path: path.replace(/{\w+}/g, NOBODYS) })),
);

describe('A browser that another site drives', () => {
  let service: RunningService;
  let admin: Admin;

  beforeAll(async () => {
    service = await startGenerous({ env: { SERVICE_CORS_ORIGINS: 'https://tools.example.com' } });
    admin = await anAdmin(service);
  });
  afterAll(() => service.stop());

  const abort = (headers: Record<string, string>) =>
    call(service, 'POST', `/tx/${NOBODYS}/abort`, { headers });
  const cookie = () => ({ Cookie: `session=${admin.token}` });

  it('does nothing with the cookie: every route of the description that changes something', async () => {
    expect(unsafe.length).toBeGreaterThan(40);
    const passed: string[] = [];
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of foreign)
      for (const { method, path } of unsafe) {
        const answer = await send(service.url + path, {
          method,
          body: 'x=1',
          headers: { 'Content-Type': 'text/plain', ...cookie(), ...headers },
        });
        const { id } = answer.json() as { id: string };
        if (answer.status !== 403 || id !== 'CROSS_ORIGIN')
          passed.push(`${method} ${path}: ${answer.status}`);
      }
    expect(passed).toEqual([]);
  });

  it('is refused before its body is read', async () => {
    const port = Number(new URL(service.url).port);
    const socket = createConnection(port, '127.0.0.1');
    await once(socket, 'connect');
    const head = (extra: string) =>
      `POST /api/v1/states/backend/${NOBODYS} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: session=${admin.token}\r\n${extra}\r\n`;
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    const receives = async (text: string) => {
      while (!received.includes(text)) await once(socket, 'data');
    };
    socket.write(head('Origin: https://evil.example\r\nContent-Length: 5000000\r\n'));
    await receives('CROSS_ORIGIN');
    socket.destroy();
    expect(received).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('a form of another site cannot sign a browser in', async () => {
    const login = { email: admin.email, password: admin.password };
    for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }])
      for (const [path, body] of [
        ['/login/password', login],
        ['/setup/admin', { ...login, name: 'X', organization: 'X' }],
        ['/invitations/accept', { token: 'x' }],
      ] as const) {
        const answer = await call(service, 'POST', path, { body, headers, as: admin.token });
        expect([path, answer.status, answer.body['id']]).toEqual([path, 403, 'CROSS_ORIGIN']);
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
  });

  it('goes on working from pages of its own, from allowed origins, and with other credentials', async () => {
    const own = new URL(service.url).origin;
    const fine: Record<string, string>[] = [
      { ...cookie(), Origin: own, 'Sec-Fetch-Site': 'same-origin' },
      // A plain address other than localhost: browsers send no Sec-Fetch-Site there.
      { ...cookie(), Origin: own },
      { ...cookie(), Origin: 'https://tools.example.com', 'Sec-Fetch-Site': 'cross-site' },
      cookie(),
      { Authorization: `Bearer ${admin.token}`, Origin: 'https://evil.example' },
    ];
    for (const headers of fine) expect([headers, (await abort(headers)).status]).toEqual([headers, 404]);
    const login = await call(service, 'POST', '/login/password', {
      body: { email: admin.email, password: admin.password },
      headers: { Origin: own },
    });
    expect(login.status).toBe(200);
    expect(
      (await call(service, 'GET', '/whoami', { headers: { ...cookie(), Origin: 'https://evil.example' } }))
        .status,
    ).toBe(200);
  });

  it('is not asked for a password by a window of the browser', async () => {
    const challenge = async (headers: Record<string, string>) =>
      (await call(service, 'GET', '/whoami', { headers })).headers.get('www-authenticate');
    expect(await challenge({ 'Sec-Fetch-Site': 'same-origin' })).toBe('Bearer');
    expect(await challenge({})).toBe('Basic realm="infrastate", Bearer');
  });

  it('browsers do not store JSON answers', async () => {
    const answers = [
      await call(service, 'GET', '/whoami', { as: admin.token }),
      await call(service, 'GET', '/user/tenants', { as: admin.token }),
      await call(service, 'POST', '/user/access-tokens', { as: admin.token, body: { name: 'k' } }),
      await call(service, 'GET', `/tenants/${admin.tenantId}/states`, { as: admin.token }),
      await call(service, 'GET', '/setup/status'),
      await call(service, 'POST', '/login/password', {
        body: { email: admin.email, password: admin.password },
      }),
    ];
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is sent to the next page of this service, whatever address the request names', async () => {
    for (const name of ['one', 'two'])
      await must(service, 'POST', `/tenants/${admin.tenantId}/states`, { as: admin.token, body: { name } });
    const port = Number(new URL(service.url).port);
    const socket = createConnection(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `GET http://evil.example/api/v1/tenants/${admin.tenantId}/states?limit=1 HTTP/1.1\r\nHost: evil.example\r\n` +
        `Authorization: Bearer ${admin.token}\r\nConnection: close\r\n\r\n`,
    );
    let received = '';
    for await (const part of socket.setEncoding('utf8')) received += part as string;
    const link = /^link: <([^>]+)>/im.exec(received)?.[1] ?? '';
    expect(link.startsWith(`${service.url}/api/v1/tenants/`)).toBe(true);
  });
});

describeWith('nginx', 'Behind the load balancer of deploy/nginx.conf', () => {
  it('pages of the address that people browse work, and those of others do not', async () => {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const service = await startGenerous({ env: { SERVICE_UI_BASE: 'https://infra.example.com' } });
    const folder = mkdtempSync(join(tmpdir(), 'nginx-origin-'));
    const configuration = readFileSync(join(ROOT, 'deploy', 'nginx.conf'), 'utf8')
      .replace(/^\s*resolver .*$/m, '')
      .replace(/^\s*server api:8080 .*$/m, `server ${new URL(service.url).host};`)
      .replace(/^ *listen 8080;/m, `listen 127.0.0.1:${port};`);
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;\n${configuration.replace('http {', `http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;`)}`,
    );
    const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    try {
      while (nginx.exitCode === null) {
        const isUp = await fetch(`${base}/health/live`).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (isUp) break;
        await delay(50);
      }
      const admin = await anAdmin(service);
      const statusFrom = async (origin: string) => {
        const answer = await call({ url: base }, 'POST', `/tx/${NOBODYS}/abort`, {
          headers: { Cookie: `session=${admin.token}`, Origin: origin },
        });
        return answer.status;
      };
      expect(await statusFrom('https://infra.example.com')).toBe(404);
      expect(await statusFrom(base)).toBe(404);
      expect(await statusFrom(service.url)).toBe(403);
      expect(await statusFrom('https://evil.example')).toBe(403);
    } finally {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
      await service.stop();
    }
  });
});

describe('A new installation', () => {
  const body = { email: 'you@example.com', password: 'long enough', name: 'You', organization: 'Yours' };

  it('has a setup token where docker-compose.yml starts it', () => {
    const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
    expect(compose).toContain('SERVICE_SETUP_TOKEN: ${SERVICE_SETUP_TOKEN:?');
  });

  it('takes its first administrator only with the setup token, where there is one', async () => {
    const service = await startGenerous({ env: { SERVICE_SETUP_TOKEN: 'a token of the operator' } });
    try {
      expect((await call(service, 'GET', '/setup/status')).body).toEqual({
        needs_setup: true,
        needs_token: true,
      });
      for (const given of [{}, { setup_token: '' }, { setup_token: 'a token of somebody' }]) {
        const answer = await call(service, 'POST', '/setup/admin', { body: { ...body, ...given } });
        expect([answer.status, answer.body['id']]).toEqual([403, 'SETUP_TOKEN_INVALID']);
      }
      const answer = await call(service, 'POST', '/setup/admin', {
        body: { ...body, setup_token: 'a token of the operator' },
      });
      expect(answer.status).toBe(201);
      expect((await call(service, 'POST', '/setup/admin', { body })).status).toBe(409);
      expect((await call(service, 'GET', '/setup/status')).body).toEqual({ needs_setup: false });
      expect(service.output()).not.toContain('a token of the operator');
    } finally {
      await service.stop();
    }
  });

  it('listens where SERVICE_HOST says, with both ports', async () => {
    const outer = Object.values(networkInterfaces())
      .flat()
      .find((one) => one && !one.internal && one.family === 'IPv4')?.address;
    const service = await startService({ env: { SERVICE_HOST: '127.0.0.1' } });
    try {
      const reaches = (host: string, url: string) =>
        fetch(`http://${host}:${new URL(url).port}/health/live`).then(
          ({ status }) => status,
          () => 0,
        );
      for (const url of [service.url, service.internalUrl]) {
        expect(await reaches('127.0.0.1', url)).toBe(200);
        if (outer !== undefined) expect(await reaches(outer, url)).toBe(0);
      }
    } finally {
      await service.stop();
    }
  });

  it('names SERVICE_HOST when it is no address of the machine', async () => {
    const service = await startService({ env: { SERVICE_HOST: '203.0.113.1' }, waitForReady: false });
    if (service.process.exitCode === null) await once(service.process, 'exit');
    expect([service.process.exitCode, service.output().trim()]).toEqual([
      1,
      'SERVICE_HOST is 203.0.113.1, which is not an address of this machine',
    ]);
    await service.database.drop();
  });
});
