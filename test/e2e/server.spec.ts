import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../src/platform/database/advisory-locks.js';
import { migrate } from '../../src/platform/database/migrations.js';
import { emptyDatabase } from '../support/database.js';
import { type RunningService, startService } from '../support/service.js';

const ADMIN = {
  email: 'ada@example.com',
  password: 'correct horse battery',
  name: 'Ada',
  organization: 'Example',
};

async function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** What comes next on a connection. */
async function answerOn(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    once(socket, 'close').then(() => false),
  ]);
  socket.destroy();
  return outcome;
}

describe('The server', () => {
  let service: RunningService;
  let session: string;

  beforeAll(async () => {
    service = await startService({ env: { SERVICE_LOG_LEVEL: 'debug' } });
    session = (
      (await (await post(`${service.url}/api/v1/setup/admin`, ADMIN)).json()) as { session_token: string }
    ).session_token;
  });
  afterAll(() => service.stop());

  const get = (path: string, token = session) =>
    fetch(service.url + path, { headers: { Authorization: `Bearer ${token}` } });

  it('is alive and ready, and the old address of readiness still answers', async () => {
    const paths = ['/health/live', '/health/ready', '/api/v1/health'];
    expect(await Promise.all(paths.map(async (path) => (await fetch(service.url + path)).status))).toEqual([
      200, 200, 200,
    ]);
  });

  it('tells version and flags to anybody with a credential, and its providers to everybody', async () => {
    expect(await (await get('/api/v1/version')).json()).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      state_schema_version: expect.any(Number) as number,
    });
    expect(await (await get('/api/v1/capabilities')).json()).toMatchObject({
      costs: { enabled: false },
      security: { enabled: true },
      dedicated: { enabled: false },
    });
    const config = await fetch(`${service.url}/api/v1/server/config`);
    expect([config.status, await config.json()]).toEqual([200, {}]);
    expect((await fetch(`${service.url}/api/v1/version`)).status).toBe(401);
    for (const spelling of ['github', 'vcs_a']) {
      const answer = await fetch(`${service.url}/api/v1/${spelling}/client_id`);
      expect([answer.status, await answer.json()]).toEqual([
        403,
        { id: 'FORBIDDEN', data: 'no app of this provider is configured' },
      ]);
    }
  });

  it('serves the description it was committed with', async () => {
    const served = (await (await get('/api/v1/openapi')).json()) as { openapi: string; paths: object };
    expect(served.openapi.startsWith('3.1')).toBe(true);
    expect(Object.keys(served.paths)).toEqual(expect.arrayContaining(['/api/v1/states/{stateId}/instances']));
  });

  it('answers what it cannot read with an id and a text, and keeps the request id', async () => {
    const broken = await fetch(`${service.url}/api/v1/login/password`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': 'mine-1' },
      body: '{',
    });
    expect([broken.status, await broken.json(), broken.headers.get('x-request-id')]).toEqual([
      400,
      { id: 'INVALID_REQUEST', data: 'the body is not valid JSON' },
      'mine-1',
    ]);
  });

  it('counts requests by route template and never by what was asked', async () => {
    await get('/api/v1/states/00000000-0000-4000-8000-000000000000');
    const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /http_request_duration_seconds_count{[^}]*route="\/api\/v1\/states\/:stateId"[^}]*}/,
    );
    expect(metrics).not.toContain('00000000-0000-4000-8000-000000000000');
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  });

  it('logs no password, no token and no body, even at its most talkative', async () => {
    await post(`${service.url}/api/v1/login/password`, { email: ADMIN.email, password: 'a wrong password' });
    await get(`/api/v1/whoami?token=${session}`);
    const logs = service.output();
    expect(logs).toContain('"route"');
    for (const secret of [ADMIN.password, 'a wrong password', session]) expect(logs).not.toContain(secret);
  });

  it('sends the headers that keep a browser safe and allows no other origin', async () => {
    const answer = await fetch(`${service.url}/health/live`, {
      headers: { Origin: 'https://elsewhere.example' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const api = await get('/api/v1/version');
    expect([api.headers.get('x-content-type-options'), api.headers.get('x-powered-by')]).toEqual([
      'nosniff',
      null,
    ]);
  });

  it('takes the neutral names of the code-hosting providers for the same routes', async () => {
    const [named, neutral] = [
      await get('/api/v1/github/access-token'),
      await get('/api/v1/vcs_a/access-token'),
    ];
    expect(neutral.status).toBe(named.status);
    expect(neutral.status).not.toBe(404);
  });
});

describe('Starting and stopping', () => {
  it('is alive at once, answers 502 to readiness while migrations run, and then 200', async () => {
    const database = await emptyDatabase();
    const holder = new Client(database.connection);
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
    const service = await startService({ database, waitForReady: false });
    try {
      const live = async (): Promise<number> =>
        fetch(`${service.url}/health/live`).then(
          (answer) => answer.status,
          () => live(),
        );
      expect(await live()).toBe(200);
      const ready = await fetch(`${service.url}/health/ready`);
      expect([ready.status, ((await ready.json()) as { id: string }).id]).toEqual([502, 'NOT_READY']);
      const route = await fetch(`${service.url}/api/v1/whoami`);
      expect([route.status, route.headers.get('retry-after')]).toEqual([503, '1']);
      await holder.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.migrations]);
      await service.ready();
    } finally {
      await holder.end();
      await service.stop();
      await database.drop();
    }
  });

  it('applies each migration once, however many replicas start at the same moment', async () => {
    const database = await emptyDatabase();
    try {
      const reports = await Promise.all([1, 2, 3].map(() => migrate(database.connection)));
      const applied = reports.flatMap((report) => report.applied).toSorted();
      const { rows } = await database.pool.query<{ name: string }>(
        'SELECT name FROM migrations ORDER BY name',
      );
      expect(applied).toEqual(rows.map(({ name }) => name));
      expect(applied.length).toBeGreaterThan(20);
    } finally {
      await database.drop();
    }
  });

  it('names the variable that is missing in one line and does not start', async () => {
    const child = spawn(process.execPath, [join(__dirname, '..', '..', 'dist', 'main.js')], {
      env: {
        PATH: process.env['PATH'] ?? '',
        SERVICE_UI_BASE: 'http://localhost',
        DB_HOST: 'x',
        DB_USER: 'x',
        DB_NAME: 'x',
      },
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part));
    const [code] = (await once(child, 'exit')) as [number];
    expect([code, errors.trim()]).toEqual([1, 'configuration error: DB_PASS is required']);
  });

  it('finishes the request in hand on SIGTERM, turns new ones away, and ends with exit code 0', async () => {
    const service = await startService();
    const { port } = new URL(service.url);
    const slow = connect(Number(port), '127.0.0.1');
    const idle = connect(Number(port), '127.0.0.1');
    const body = JSON.stringify({ email: ADMIN.email, password: ADMIN.password });
    // The last byte of the body is kept back: the request is in the server's hands and cannot be answered yet.
    slow.write(
      `POST /api/v1/login/password HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
    );
    idle.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answerOn(idle)).toMatch(/^HTTP\/1.1 200 /);

    const stopped = service.stop();
    while (await accepts(Number(port))) await delay(10);
    idle.write('GET /api/v1/setup/status HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answerOn(idle)).toMatch(/^HTTP\/1.1 503 [\s\S]*Retry-After: 1\r\n/);
    slow.write(body.slice(-1));
    expect(await answerOn(slow)).toMatch(/^HTTP\/1.1 401 /);
    expect(await stopped).toBe(0);
  });

  it('runs a worker that serves its health and metrics, and ends on SIGTERM', async () => {
    const worker = await startService({ role: 'worker' });
    const paths = ['/health/live', '/health/ready', '/metrics', '/api/v1/whoami'];
    const statuses = await Promise.all(
      paths.map(async (path) => (await fetch(worker.internalUrl + path)).status),
    );
    expect(statuses).toEqual([200, 200, 200, 404]);
    expect(await worker.stop()).toBe(0);
  });
});
