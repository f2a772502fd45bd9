import { aBackend, type Answer, send, type TestBackend, type TestState } from '../support/backend.js';
import { type DescribedRoute, describedRoutes } from '../support/described-routes.js';
import { headOf, RawClient } from '../support/raw-client.js';
import { TransactionClient } from '../support/transactions.js';

const NOBODYS = '00000000-0000-4000-8000-000000000000';
/** Stands in odd values; no answer and no log line may have it. */
const MARK = 'zq7marker';

const ODD: [name: string, value: unknown][] = [
  ['null', null],
  ['nothing', ''],
  ['blank', ' \t\n'],
  ['true', true],
  ['a number', 7],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['a large number', 1e300],
  ['beyond an integer', 2 ** 53],
  ['a list', [MARK]],
  ['a nested list', [[[]]]],
  ['an object', { [MARK]: MARK }],
  ['a prototype', JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}')],
  ['a text', MARK],
  ['a long text', MARK + 'x'.repeat(5000)],
  ['NUL', `a\0${MARK}`],
  ['half a surrogate', `\ud800${MARK}`],
  ['line breaks', `a\r\nX-Injected: ${MARK}`],
  ['SQL', `'; DROP TABLE users; --${MARK}`],
  ['markup', `<script>${MARK}</script>`],
  ['a path', `../../../etc/${MARK}`],
  ['a date', '0000-13-45T99:99:99Z'],
  ['an unknown UUID', NOBODYS],
  ['a UUID in odd form', '{00000000-0000-4000-8000-000000000000}'],
];

/** Each route ends sessions, changes who may do what, or works for long: with ids of nobody only. */
const UNSAFE = /logout|set-instance-admin|change-password|\/users\/|caps\/default|costs|billing|security/;

describe('Odd input', () => {
  let backend: TestBackend;
  let state: TestState;
  let txId: string;

  beforeAll(async () => {
    backend = await aBackend({
      env: { SERVICE_LOGIN_RATE_PER_ACCOUNT: '100000', SERVICE_LOGIN_RATE_PER_ADDRESS: '100000' },
    });
    state = await backend.aState();
    txId = await new TransactionClient(backend).create();
  }, 120_000);
  afterAll(() => backend.stop());

  function pathOf({ method, path }: DescribedRoute): string {
    const isSafe = method !== 'DELETE' && !UNSAFE.test(path);
    const known: Record<string, string> = isSafe
      ? { tenantId: backend.tenantId, stateId: state.id, txId, groupId: state.groupId }
      : {};
    return path.replace(/{(\w+)}/g, (_, name: string) => known[name] ?? NOBODYS);
  }

  function ask(route: DescribedRoute, path: string, body?: unknown): Promise<Answer> {
    return send(backend.url + path, {
      method: route.method,
      headers: { authorization: `Bearer ${backend.key}`, 'content-type': 'application/json' },
      ...(body === undefined || route.method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** What is wrong with an answer, or undefined. A feature that is switched off answers 503. */
  function faultOf(answer: Answer, path: string): string | undefined {
    const text = answer.bytes.toString();
    if (answer.headers['x-injected'] !== undefined) return 'a header was injected';
    // A held lock is answered with what its holder said of it.
    if (answer.status < 400 || answer.status === 423) return undefined;
    const { id, data } = JSON.parse(text) as { id?: unknown; data?: unknown };
    if (typeof id !== 'string' || typeof data !== 'string') return `no {id, data}: ${text.slice(0, 200)}`;
    if (answer.status >= 500 && answer.status !== 503 && !/^\/(health|api\/v1\/health)/.test(path))
      return `${answer.status} ${text.slice(0, 200)}`;
    return /\bat .*\.(ts|js):\d+|node_modules|SELECT |relation "/.test(data)
      ? `internals: ${data}`
      : undefined;
  }

  it.each(describedRoutes.map((route): [string, DescribedRoute] => [`${route.method} ${route.path}`, route]))(
    'of any kind is answered by %s',
    async (_name, route) => {
      const path = pathOf(route);
      const faults: string[] = [];
      const check = async (what: string, address: string, body?: unknown): Promise<void> => {
        const answer = await ask(route, address, body);
        const fault = faultOf(answer, path);
        if (fault !== undefined) faults.push(`${what}: ${fault}`);
      };
      for (const [kind, value] of ODD) {
        for (const field of route.fields) await check(`${field} is ${kind}`, path, { [field]: value });
        for (const name of route.query) {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          await check(`?${name} is ${kind}`, `${path}?${new URLSearchParams({ [name]: text }).toString()}`);
        }
      }
      for (const [, value] of ODD.slice(-5)) {
        const odd = encodeURIComponent(String(value));
        await check('a path parameter is odd', route.path.replace(/{\w+}/g, odd));
      }
      await check('the body is a list', path, []);
      await check('the body is nested', path, JSON.parse(`${'['.repeat(15)}${']'.repeat(15)}`));
      expect(faults).toEqual([]);
    },
    120_000,
  );

  it('a body that is not JSON, or claims another type, gets 400 or 401 on every route', async () => {
    const faults: string[] = [];
    for (const route of describedRoutes.filter(({ fields }) => fields.length > 0)) {
      for (const body of ['{', '"text"', '[1,]', '{"a":1}{', '\ufeff{}', '{"a":\u0000}']) {
        const answer = await send(backend.url + pathOf(route), {
          method: route.method,
          headers: { authorization: `Bearer ${backend.key}`, 'content-type': 'application/json' },
          body,
        });
        const fault = faultOf(answer, route.path);
        if (fault !== undefined) faults.push(`${route.method} ${route.path} ${body}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('a request of a slow client is ended on every route, and its connection is closed', async () => {
    // Who is not let in is answered before a body is there, and nobody waits for the rest.
    const closed = describedRoutes.filter(({ isPublic, method }) => !isPublic && method !== 'GET');
    const answers = await Promise.all(
      closed.map(async (route) => {
        const client = await RawClient.open(backend.url);
        client.send(
          headOf(route.method, pathOf(route), {
            'Content-Type': 'application/json',
            'Content-Length': 1000,
          }) + '{"a":',
        );
        const statuses = await client.statuses(1);
        await client.untilClosed();
        return [`${route.method} ${route.path}`, statuses[0]] as const;
      }),
    );
    const isRefused = (status: number | undefined): boolean => status === 401 || status === 403;
    expect(answers.filter(([, status]) => !isRefused(status))).toEqual([]);
  });

  it('leaves no trace in the log but its request', () => {
    const lines = backend.service
      .output()
      .split('\n')
      .filter((line) => line.includes(MARK) || line.includes('unexpected error'));
    expect(lines).toEqual([]);
  });
});
