import { randomUUID } from 'node:crypto';
import { aBackend, type TestBackend } from '../support/backend.js';
import { type DescribedRoute, describedRoutes } from '../support/described-routes.js';
import { headOf, RawClient } from '../support/raw-client.js';

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'LOCK', 'UNLOCK']);

/** Clients with a credential that begin a body and do not end it, on every route of the description. */
describe('Slow clients', () => {
  let backend: TestBackend;
  let ids: Record<string, string>;

  beforeAll(async () => {
    backend = await aBackend({ env: { SERVICE_EDITION: 'enterprise' } });
    const state = await backend.aState();
    ids = { tenant: await backend.aTenant(), state: state.id, group: state.groupId };
  });
  afterAll(() => backend.stop());

  const pathOf = ({ path }: DescribedRoute): string =>
    path.replace(/\{(\w+)\}/g, (_match, name: string) => {
      const kind = /tenant/i.test(name) ? 'tenant' : /state/i.test(name) ? 'state' : 'group';
      return ids[kind] ?? randomUUID();
    });

  async function begin(route: DescribedRoute, trickle: boolean): Promise<string> {
    const client = await RawClient.open(backend.url);
    client.send(
      headOf(route.method, pathOf(route), {
        Authorization: `Bearer ${backend.key}`,
        'Content-Type': 'application/json',
        'Content-Length': 60_000,
      }) + '{"',
    );
    // A byte now and then must not buy a small body more time.
    const more = trickle ? setInterval(() => client.send('a'), 5000) : undefined;
    const [status = 0] = await client.statuses(1);
    clearInterval(more);
    client.end();
    // 503: its feature is off.
    return status >= 200 && status !== 500 ? 'answered' : `${route.method} ${route.path}: ${status}`;
  }

  it.each([
    ['that send nothing more', false],
    ['that send a byte now and then', true],
  ])('%s are all answered and let go, and others are served meanwhile', async (_name, trickle) => {
    const routes = describedRoutes.filter(({ method, isPublic }) => WITH_BODY.has(method) && !isPublic);
    expect(routes.length).toBeGreaterThan(50);
    let isOver = false;
    const slow = Promise.all(routes.map((route) => begin(route, trickle))).finally(() => (isOver = true));
    const others: number[] = [];
    while (!isOver) {
      others.push((await backend.api('GET', '/whoami')).status);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect((await slow).filter((outcome) => outcome !== 'answered')).toEqual([]);
    expect(others.filter((status) => status !== 200)).toEqual([]);
    expect(backend.service.output()).not.toContain('unexpected error');
  });
});
