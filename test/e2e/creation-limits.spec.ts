import { createHash } from 'node:crypto';
import { type Admin, aMember, anAdmin, call, must, type Person, type Reply } from '../support/identity.js';
import { type RunningService, startService } from '../support/service.js';

/** Rows that anybody with a credential can make are limited, each kind for each user. */
describe('What a user makes in an hour', () => {
  let service: RunningService;
  let root: Admin;

  beforeAll(async () => {
    service = await startService();
    root = await anAdmin(service);
  });
  afterAll(() => service.stop());

  const keyOf = (kind: string, person: Person) =>
    `create:${kind}:${createHash('sha256').update(person.id).digest('base64url')}`;
  const set = (key: string, hits: number, seconds: number) =>
    service.pool.query(
      `INSERT INTO rate_limits (key, hits, window_ends_at) VALUES ($1, $2, now() + make_interval(secs => $3))
       ON CONFLICT (key) DO UPDATE SET hits = $2, window_ends_at = now() + make_interval(secs => $3)`,
      [key, hits, seconds],
    );

  const KINDS: [string, string, number, (as: string) => Promise<Reply>][] = [
    ['tasks', 'task', 3600, (as) => call(service, 'POST', '/tasks', { as })],
    [
      'transactions',
      'transaction',
      3600,
      (as) =>
        call(service, 'POST', `/tenants/${root.tenantId}/tx/create`, {
          as,
          body: { state_schema_version: 1 },
        }),
    ],
    [
      'sessions of transactions',
      'transaction',
      3600,
      (as) => call(service, 'POST', '/tx/session/create', { as, body: { tenant_id: root.tenantId } }),
    ],
    ['keys', 'key', 1000, (as) => call(service, 'POST', '/user/access-tokens', { as, body: { name: 'k' } })],
  ];

  it.each(KINDS)('%s are limited, and those of others go on', async (_name, kind, limit, make) => {
    const [person, other] = [await aMember(service, root), await aMember(service, root)];
    const key = keyOf(kind, person);
    await set(key, limit - 2, 3600);
    const answers = [await make(person.token), await make(person.token), await make(person.token)];
    expect(answers.map(({ status }) => (status < 300 ? 'made' : status))).toEqual(['made', 'made', 429]);
    expect(answers[2]?.body).toMatchObject({ id: 'RATE_LIMITED' });
    const seconds = Number(answers[2]?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(3600);
    expect((await make(other.token)).status).toBeLessThan(300);
    // What was refused made nothing, and the next hour begins from none.
    await set(key, limit + 5, -1);
    expect((await make(person.token)).status).toBeLessThan(300);
    const { rows } = await service.pool.query('SELECT hits FROM rate_limits WHERE key = $1', [key]);
    expect(rows).toEqual([{ hits: 1 }]);
  });

  it('is counted together for all of their credentials', async () => {
    const person = await aMember(service, root);
    const { token } = await must(service, 'POST', '/user/access-tokens', {
      as: person.token,
      body: { name: 'second' },
    });
    await set(keyOf('task', person), 3599, 3600);
    expect((await call(service, 'POST', '/tasks', { as: person.token })).status).toBe(200);
    expect((await call(service, 'POST', '/tasks', { as: token })).status).toBe(429);
  });
});
