import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestBackend, aBackend } from '../support/backend.js';
import { CliHome, itOnTerminal } from '../support/cli.js';

const EMAIL = 'admin@example.test';
const PASSWORD = 'correct horse battery';

interface Stored {
  current: string;
  services: Record<string, { api_key: string; key_name?: string; tenant?: string }>;
}

describe('infrastate login', () => {
  let backend: TestBackend;
  let home: CliHome;

  beforeAll(async () => {
    backend = await aBackend({ env: { SERVICE_LOGIN_RATE_PER_ACCOUNT: '1000' } });
  });
  afterAll(() => backend?.stop());
  beforeEach(() => (home = new CliHome()));
  afterEach(() => home.remove());

  const stored = (): Stored => JSON.parse(readFileSync(home.credentials, 'utf8')) as Stored;
  const statusOf = async (key: string): Promise<number> =>
    (await backend.api('GET', '/whoami', { key })).status;
  const keyNames = async (): Promise<string[]> =>
    ((await backend.api('GET', '/user/access-tokens')).json() as { tokens: { name: string }[] }).tokens.map(
      ({ name }) => name,
    );
  /** Answers to the questions for address, email and password. */
  const answers = (password = PASSWORD): string => `${backend.url}/api/v1\n${EMAIL}\n${password}\n`;

  it('asks, makes a key of its own, keeps only that, and keeps it from others', async () => {
    const outcome = await home.run(['login'], { input: answers() });
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toBe(`signed in at ${backend.url} as Admin\n`);
    const { current, services } = stored();
    expect(current).toBe(backend.url);
    expect(Object.keys(services)).toEqual([backend.url]);
    const { api_key: key = '', key_name: name = '' } = services[backend.url] ?? {};
    expect(await statusOf(key)).toBe(200);
    expect(await keyNames()).toContain(name);
    expect(readFileSync(home.credentials, 'utf8')).not.toContain(PASSWORD);
    expect(outcome.stdout + outcome.stderr).not.toContain(key);
    expect(outcome.stdout + outcome.stderr).not.toContain(PASSWORD);
    expect(statSync(home.credentials).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.credentials, '..')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home.credentials, '..'))).toEqual(['credentials.json']);

    const who = await home.must(['whoami']);
    expect(who).toMatchObject({ address: backend.url, user: { email: EMAIL } });
    expect(who.tenants.map((tenant: { name: string }) => tenant.name).sort()).toEqual([
      'Default',
      'Infrastructure',
    ]);
    expect((await home.run(['whoami'])).stdout).toMatch(/^Admin <admin@example.test> at http.*\ntenant /);
  });

  it('ends the session it signed in with', async () => {
    const ended = async (): Promise<number | null> =>
      (await backend.service.pool.query(`SELECT FROM audit_entries WHERE action = 'session.end'`)).rowCount;
    const before = await ended();
    await home.run(['login'], { input: answers() });
    expect(await ended()).toBe((before ?? 0) + 1);
  });

  it('forgets and revokes the key at logout, and says so when nobody is signed in', async () => {
    await home.run(['login'], { input: answers() });
    const { api_key: key = '' } = stored().services[backend.url] ?? {};
    expect(await home.must(['logout'])).toEqual({ address: backend.url, signed_out: true, revoked: true });
    expect(await statusOf(key)).toBe(401);
    expect(readFileSync(home.credentials, 'utf8')).not.toContain(key);
    const who = await home.run(['whoami', '--json']);
    expect(who).toMatchObject({ code: 1 });
    expect(who.json()).toEqual({ error: { id: 'NOT_SIGNED_IN', data: `no key for ${backend.url}` } });
    expect(await home.must(['logout'])).toMatchObject({ signed_out: false });
  });

  it('leaves one key behind however often somebody signs in again', async () => {
    await home.run(['login'], { input: answers() });
    const first = stored().services[backend.url];
    await home.run(['login'], { input: answers().split('\n').slice(1).join('\n') });
    const second = stored().services[backend.url];
    expect(await statusOf(first?.api_key ?? '')).toBe(401);
    expect(await statusOf(second?.api_key ?? '')).toBe(200);
  });

  it('takes a key from stdin, which logout forgets and does not revoke', async () => {
    const key = await backend.aKey();
    const login = [
      'login',
      '--api-key-stdin',
      '--api-base',
      backend.url,
      '--tenant',
      'Infrastructure',
      '--json',
    ];
    const outcome = await home.run(login, { input: `${key}\n` });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.json()).toMatchObject({ address: backend.url, credentials: home.credentials });
    expect(stored().services[backend.url]).toEqual({ api_key: key, tenant: 'Infrastructure' });
    // The tenant of the login is the one commands work in, although the key reaches two.
    expect(await home.must(['states', 'list'])).toEqual({ results: [] });
    expect(await home.must(['logout'])).toMatchObject({ signed_out: true, revoked: false });
    expect(await statusOf(key)).toBe(200);
  });

  it('takes a key where the email is left empty', async () => {
    const key = await backend.aKey();
    const outcome = await home.run(['login'], { input: `${backend.url}\n\n${key}\n` });
    expect(outcome.code).toBe(0);
    expect(stored().services[backend.url]).toEqual({ api_key: key });
  });

  it('stores nothing when the password, the key, the tenant or the address is wrong', async () => {
    const wrong = await home.run(['login', '--json'], { input: answers('wrong password') });
    expect(wrong.code).toBe(77);
    expect(wrong.json().error).toEqual({
      id: expect.any(String),
      data: 'the email or the password is wrong',
    });
    expect(wrong.stderr).not.toContain('wrong password');

    const from = (...more: string[]): string[] => ['login', '--api-key-stdin', '--json', ...more];
    const bad = await home.run(from('--api-base', backend.url), { input: 'no-such-key' });
    expect(bad.json().error.id).toBe('UNAUTHENTICATED');
    expect(bad.stderr).not.toContain('no-such-key');
    const empty = await home.run(from('--api-base', backend.url), { input: '\n' });
    expect(empty.json().error.id).toBe('NO_SECRET');
    const tenant = await home.run(from('--api-base', backend.url, '--tenant', 'Nowhere'), {
      input: backend.key,
    });
    expect(tenant.json().error.id).toBe('TENANT_UNKNOWN');
    const nowhere = await home.run(from(), { input: backend.key });
    expect(nowhere.json().error.id).toBe('NO_ADDRESS');
    const address = await home.run(from('--api-base', 'https://me:secret@example.test'), {
      input: backend.key,
    });
    expect(address.json().error.id).toBe('USAGE');
    expect(address.stderr).not.toContain('secret');
    const cancelled = await home.run(['login', '--json'], { input: `${backend.url}\n` });
    expect(cancelled.json().error.id).toBe('CANCELLED');
    expect(existsSync(home.credentials)).toBe(false);
  });

  it('sends a stored key to no other service', async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"id":"UNAUTHENTICATED","data":"no"}');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    try {
      await home.run(['login', '--api-key-stdin', '--api-base', backend.url], { input: backend.key });
      const elsewhere = await home.run(['whoami', '--json'], { env: { INFRASTATE_API_BASE: address } });
      expect(elsewhere.json().error.id).toBe('NOT_SIGNED_IN');
      expect(seen).toEqual([]);
      const asked = await home.run(['whoami', '--json'], {
        env: { INFRASTATE_API_BASE: address, INFRASTATE_API_KEY: 'given' },
      });
      expect(asked.json().error.id).toBe('UNAUTHENTICATED');
      expect(new Set(seen)).toEqual(new Set(['Bearer given']));
    } finally {
      other.close();
    }
  });

  it('waits as long as a busy service asks for, and only where trying again does no harm', async () => {
    const seen: string[] = [];
    const busy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const first = seen.filter((line) => line === seen.at(-1)).length === 1;
      if (first) response.writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' });
      else response.writeHead(200, { 'content-type': 'application/json' });
      response.end(first ? '{"id":"BUSY","data":"come back"}' : '{"results":[{"id":"t","name":"T"}]}');
    }).listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const env = {
      INFRASTATE_API_BASE: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`,
      INFRASTATE_API_KEY: 'key',
    };
    try {
      const listed = await home.run(['states', 'list', '--json'], { env });
      expect(listed.code).toBe(0);
      expect(listed.stderr).toContain('the service is busy (503)');
      expect(seen).toEqual([
        'GET /api/v1/user/tenants',
        'GET /api/v1/user/tenants',
        'GET /api/v1/tenants/t/states?limit=1000',
        'GET /api/v1/tenants/t/states?limit=1000',
      ]);
      seen.splice(0);
      const created = await home.run(['states', 'create', 'once', '--json'], { env });
      expect(created.json()).toEqual({ error: { id: 'BUSY', data: 'come back' } });
      expect(seen.filter((line) => line.startsWith('POST'))).toEqual(['POST /api/v1/tenants/t/states']);
    } finally {
      busy.close();
    }
  });

  it('says what is wrong when nothing answers, or something else than the service', async () => {
    const env = { INFRASTATE_API_BASE: 'http://127.0.0.1:1', INFRASTATE_API_KEY: 'key' };
    const dead = await home.run(['whoami'], { env });
    expect(dead).toMatchObject({ code: 69, stdout: '' });
    expect(dead.stderr).toMatch(
      /^infrastate: UNREACHABLE: http:\/\/127\.0\.0\.1:1 cannot be reached \(.+\)\n$/,
    );
  });

  it('does not hide damaged credentials behind a new login', async () => {
    await home.run(['login'], { input: answers() });
    writeFileSync(home.credentials, '{"services": {');
    const outcome = await home.run(['whoami', '--json']);
    expect(outcome.json().error.id).toBe('CREDENTIALS_UNREADABLE');
  });

  it('takes no secret on the command line and repeats none', async () => {
    const outcome = await home.run(['login', '--api-key=very-secret', '--json']);
    expect(outcome.code).toBe(64);
    expect(outcome.json().error.id).toBe('USAGE');
    expect(outcome.stdout + outcome.stderr).not.toContain('very-secret');
    const help = await home.run(['login', '--help']);
    expect(help.stdout).not.toMatch(/--(api-key|password|token)(?!-stdin)\b/);
  });

  it('shows no secret in the process list while it asks and works', async () => {
    const child = spawn(
      process.execPath,
      [join(__dirname, '..', '..', 'cli', 'bin', 'infrastate.js'), 'login'],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: home.directory,
          XDG_CONFIG_HOME: join(home.directory, 'config'),
        },
      },
    );
    const ended = once(child, 'exit');
    child.stdin.write(answers());
    const seen = new Set<string>();
    while (child.exitCode === null && existsSync(`/proc/${child.pid}/cmdline`)) {
      seen.add(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'));
      await new Promise(setImmediate);
    }
    child.stdin.end();
    await ended;
    const lines = [...seen].join('\n');
    expect(lines).toContain('infrastate.js\0login');
    expect(lines).not.toContain(PASSWORD);
    expect(lines).not.toContain(stored().services[backend.url]?.api_key);
  });

  itOnTerminal('shows the email on a terminal and not the password', async () => {
    const screen = await home.onTerminal(
      ['login', '--api-base', backend.url],
      [
        ['API key): ', EMAIL],
        ['Password: ', `${PASSWORD}x\u007f`],
      ],
    );
    expect(screen).toContain('as Admin');
    expect(screen).toContain(EMAIL);
    expect(screen).not.toContain(PASSWORD.slice(0, 8));
    expect(await statusOf(stored().services[backend.url]?.api_key ?? '')).toBe(200);
  });

  itOnTerminal('shows no key that is typed', async () => {
    const screen = await home.onTerminal(
      ['login', '--api-base', backend.url, '--api-key-stdin'],
      [['API key: ', backend.key]],
    );
    expect(screen).toContain('as Admin');
    expect(screen).not.toContain(backend.key);
  });
});
