import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningService, startService } from '../support/service.js';

interface Operation {
  'x-public'?: boolean;
}

const document = JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const NOBODYS = '00000000-0000-4000-8000-000000000000';
const routes = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.replace('x-', '').toUpperCase(),
    path: path.replace(/{\w+}/g, NOBODYS),
    isPublic: operation['x-public'] === true,
  })),
);

describe('Every route of the description', () => {
  let service: RunningService;
  let revoked: string;
  let admin: string;

  beforeAll(async () => {
    service = await startService();
    const session = await json('POST', '/setup/admin', undefined, {
      email: 'ada@example.com',
      password: 'correct horse battery',
      name: 'Ada',
      organization: 'Example',
    });
    admin = session['session_token'] as string;
    revoked = (await json('POST', '/user/access-tokens', admin, { name: 'to be revoked' }))[
      'token'
    ] as string;
    const { tokens } = await json('GET', '/user/access-tokens', admin);
    const [{ id } = { id: '' }] = tokens as { id: string }[];
    await json('POST', `/user/access-tokens/revoke?token_id=${id}`, admin);
  });
  afterAll(() => service.stop());

  async function json(
    method: string,
    path: string,
    token?: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, unknown>;
  }

  async function statusOf(
    route: { method: string; path: string },
    authorization: string | undefined,
  ): Promise<number> {
    const answer = await fetch(service.url + route.path, {
      method: route.method,
      redirect: 'manual',
      headers: authorization === undefined ? {} : { Authorization: authorization },
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  it('a route that is not public answers 401 without a credential, with a made-up one and with a revoked key', async () => {
    const closed = routes.filter((route) => !route.isPublic);
    expect(closed.length).toBeGreaterThan(40);
    const wrong: string[] = [];
    const basic = `Basic ${Buffer.from(`session:${revoked}`).toString('base64')}`;
    for (const authorization of [undefined, 'Bearer made-up', `Bearer ${revoked}`, basic]) {
      for (const route of closed) {
        const status = await statusOf(route, authorization);
        // Only a live refresh token opens this one, and everything else is 403 there (contract-notes.md section 2).
        const isRefused = status === 401 || (route.path.endsWith('/access-token/refresh') && status === 403);
        if (!isRefused)
          wrong.push(
            `${route.method} ${route.path} with ${authorization?.split(' ')[0] ?? 'nothing'}: ${status}`,
          );
      }
    }
    expect(wrong).toEqual([]);
  });

  it('a route that is not public answers 401 to an unreadable body of a stranger, and 400 to that of a caller', async () => {
    const wrong: string[] = [];
    const send = (method: string, path: string, token?: string, body = '{"cut off') =>
      fetch(service.url + path, {
        method,
        headers: {
          'Content-Type': 'application/json',
          ...(token ? { Authorization: `Bearer ${token}` } : {}),
        },
        body,
      });
    const taking = routes.filter(({ method, isPublic }) => !isPublic && ['POST', 'PUT'].includes(method));
    expect(taking.length).toBeGreaterThan(20);
    for (const { method, path } of taking) {
      const { status } = await send(method, path);
      if (status !== 401 && !(path.endsWith('/access-token/refresh') && status === 403))
        wrong.push(`${method} ${path}: ${status}`);
    }
    expect(wrong).toEqual([]);
    const large = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) });
    expect((await send('POST', '/api/v1/tenants', undefined, large)).status).toBe(401);
    const answers = [
      await send('POST', '/api/v1/tenants', admin),
      await send('POST', '/api/v1/tenants', admin, large),
      await send('POST', '/api/v1/login/password'),
      await send('POST', '/api/v1/nothing-here'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 413, 400, 404]);
  });

  it('names a query parameter that is missing', async () => {
    const paths = [
      'GET /users/detail user_id',
      'PUT /users/update user_id',
      'DELETE /users/delete user_id',
      'POST /users/set-instance-admin user_id',
      'POST /user/access-tokens/revoke token_id',
      'GET /invitations/preview token',
    ];
    for (const line of paths) {
      const [method = '', path = '', name = ''] = line.split(' ');
      const body = method === 'GET' ? undefined : { is_instance_admin: false };
      expect(await json(method, path, admin, body)).toEqual({
        id: 'INVALID_REQUEST',
        data: `${name} is required`,
      });
    }
  });

  it('answers an unknown route 404 and says which', async () => {
    expect(await json('GET', '/nothing-here')).toEqual({
      id: 'NOT_FOUND',
      data: 'no route GET /api/v1/nothing-here',
    });
  });

  it.each(['/', '/nothing-here', '/api/v2/states', '/api'])(
    'answers %s, outside of the API, the same way',
    async (path) => {
      const answer = await fetch(`${service.url}${path}`);
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { id: 'NOT_FOUND', data: `no route GET ${path}` },
      ]);
    },
  );
});
