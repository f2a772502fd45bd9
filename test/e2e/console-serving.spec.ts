import { anAdmin, call } from '../support/identity.js';
import { type RunningService, startService } from '../support/service.js';

const PAGE = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const open = (service: { url: string }, path: string, headers: Record<string, string> = PAGE) =>
  fetch(`${service.url}${path}`, { headers, redirect: 'manual' });

async function assetOf(service: { url: string }): Promise<string> {
  const text = await (await open(service, '/')).text();
  return /src="([^"]+\.js)"/.exec(text)?.[1] ?? 'the document names no script';
}

describe('the console, as it is served', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('is one document at every address of a browser', async () => {
    for (const path of ['/', '/login', '/tenants/x/states?search=a', '/no/such/page']) {
      const answer = await open(service, path);
      expect([
        path,
        answer.status,
        answer.headers.get('content-type'),
        answer.headers.get('cache-control'),
      ]).toEqual([path, 200, 'text/html; charset=utf-8', 'no-store']);
    }
  });

  it('has a policy with a nonce of its own for each answer', async () => {
    const policies = await Promise.all(
      [1, 2].map(async () => (await open(service, '/')).headers.get('content-security-policy') ?? ''),
    );
    const nonces = policies.map((policy) => /'nonce-([^']+)'/.exec(policy)?.[1]);
    expect(new Set(nonces).size).toBe(2);
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "connect-src 'self'",
    ])
      expect(policies[0]?.split('; ')).toContain(directive);
    expect(policies.join()).not.toMatch(/unsafe|blob:|upgrade-insecure-requests/);
  });

  it('leaves every other client what it had', async () => {
    const program = await open(service, '/states/backend/nonsense', { Accept: 'application/json' });
    // An address that looks like a backend's is never 404, which Terraform takes for a new state.
    expect([program.status, program.headers.get('content-type')]).toEqual([
      400,
      'application/json; charset=utf-8',
    ]);
    const live = await open(service, '/health/live');
    expect(await live.json()).toEqual({ status: 'live' });
    const written = await fetch(`${service.url}/login`, { method: 'POST', headers: PAGE });
    expect([written.status, await written.json()]).toMatchObject([404, { id: 'NOT_FOUND' }]);
  });

  it('names assets that may be kept for ever, in the encoding a client takes', async () => {
    const path = await assetOf(service);
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ]) {
      const answer = await open(service, path, { 'Accept-Encoding': accepted ?? '' });
      expect([
        answer.status,
        answer.headers.get('content-encoding'),
        answer.headers.get('cache-control'),
        answer.headers.get('vary'),
        answer.headers.get('content-type'),
      ]).toEqual([
        200,
        encoding,
        'public, max-age=31536000, immutable',
        'Accept-Encoding',
        'text/javascript; charset=utf-8',
      ]);
      expect(await answer.text()).toContain('import');
    }
  });

  it('serves no other file of the build or of the project', async () => {
    const script = await assetOf(service);
    const paths = [
      '/assets/none.js',
      `${script}.map`,
      `${script}.br`,
      '/assets/..%2findex.html',
      '/assets/parts.json',
    ];
    for (const path of [...paths, '/assets/']) {
      const answer = await open(service, path);
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 404, 'no-store']);
      expect(await answer.json()).toMatchObject({ id: 'NOT_FOUND' });
    }
  });

  it('keeps answers of the API out of every cache', async () => {
    const admin = await anAdmin(service);
    for (const path of ['/whoami', `/tenants/${admin.tenantId}/states`, '/no/such/route', '/login/options']) {
      const { headers } = await call(service, 'GET', path, { as: admin.token });
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
    }
  });

  it('shows a sign-in that failed on a page, with the status that programs get', async () => {
    const page = await open(service, '/api/v1/oauth2/oidc/complete');
    expect([page.status, page.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('name="service-failure" content="UNAUTHENTICATED"');
    const json = await open(service, '/api/v1/oauth2/oidc/complete', {});
    expect([json.status, await json.json()]).toMatchObject([401, { id: 'UNAUTHENTICATED' }]);
  });
});

it('stands below the path of SERVICE_UI_BASE, behind a proxy that takes it off', async () => {
  const service = await startService({ env: { SERVICE_UI_BASE: 'https://infra.example/state' } });
  try {
    const answer = await open(service, '/login');
    const text = await answer.text();
    expect(text).toMatch(/src="\/state\/assets\/[^"]+\.js"/);
    expect(text).toContain('name="service-base" content="/state/"');
    expect(answer.headers.get('strict-transport-security')).toContain('max-age');
    expect(answer.headers.get('content-security-policy')).toContain('upgrade-insecure-requests');
  } finally {
    await service.stop();
  }
});

it('is not served with SERVICE_CONSOLE=false', async () => {
  const service = await startService({ env: { SERVICE_CONSOLE: 'false' } });
  try {
    const answer = await open(service, '/');
    expect([answer.status, await answer.json()]).toMatchObject([404, { id: 'NOT_FOUND' }]);
  } finally {
    await service.stop();
  }
});

it('shows a page that asks again while the database is prepared', async () => {
  const service = await startService({ env: { DB_HOST: '127.0.0.1', DB_PORT: '1' }, waitForReady: false });
  try {
    const page = await untilAnswered(() => open(service, '/tenants/x'));
    expect([page.status, page.headers.get('retry-after'), page.headers.get('content-type')]).toEqual([
      503,
      '2',
      'text/html; charset=utf-8',
    ]);
    expect(await page.text()).toContain('http-equiv="refresh"');
    const program = await open(service, '/api/v1/whoami');
    expect([program.status, await program.json()]).toMatchObject([503, { id: 'UNAVAILABLE' }]);
  } finally {
    await service.kill9();
    await service.database.drop();
  }
});

async function untilAnswered(ask: () => Promise<Response>): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ask().catch((error: unknown) => {
      if (attempt > 2_400) throw error;
      return undefined;
    });
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
