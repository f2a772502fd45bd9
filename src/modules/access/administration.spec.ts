import { Administration } from './administration.js';
import type { AccessDecisions } from './access.decisions.js';
import type { Principal } from './principal.js';
import type { Principals } from './principals.js';
import type { UnitOfWork } from '../../platform/database/index.js';

/** Counts the transactions, and thereby the connections, that are open at the same time. */
class CountingWork {
  isActive = false;
  open = 0;
  most = 0;

  async run<T>(task: () => Promise<T>): Promise<T> {
    this.most = Math.max(this.most, ++this.open);
    try {
      return await task();
    } finally {
      this.open -= 1;
    }
  }

  query(): Promise<unknown[]> {
    return new Promise((resolve) => setImmediate(() => resolve([])));
  }
}

const person = (userId: string): Principal => ({ userId }) as Principal;

function administrationOver(work: CountingWork): Administration {
  const principals = { reload: (caller: Principal) => Promise.resolve(caller) };
  return new Administration(
    work as unknown as UnitOfWork,
    principals as unknown as Principals,
    {} as AccessDecisions,
  );
}

describe('Changes of who may do what', () => {
  it('hold two connections at most, however many wait', async () => {
    const work = new CountingWork();
    const administration = administrationOver(work);
    const changes = Array.from({ length: 40 }, () => administration.change(person('a'), async () => 1));
    await expect(Promise.all(changes)).resolves.toHaveLength(40);
    expect(work.most).toBe(2);
  });

  it('changes by a person with few requests run before the fortieth of somebody else', async () => {
    const administration = administrationOver(new CountingWork());
    const order: string[] = [];
    const change = (userId: string): Promise<number> =>
      administration.change(person(userId), async () => order.push(userId));
    await Promise.all([...Array.from({ length: 40 }, () => change('many')), change('few')]);
    expect(order.indexOf('few')).toBeLessThan(6);
  });

  it('are refused beyond 64 that wait for one person, while others are served', async () => {
    const administration = administrationOver(new CountingWork());
    const all = Array.from({ length: 80 }, () => administration.change(person('many'), async () => 1));
    const other = administration.change(person('few'), async () => 2);
    const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(80 - 2 - 64);
    await expect(other).resolves.toBe(2);
  });

  it('join the transaction they are made in without waiting', async () => {
    const work = new CountingWork();
    work.isActive = true;
    const administration = administrationOver(work);
    const nested = Array.from({ length: 10 }, () => administration.change(person('a'), async () => 1));
    await expect(Promise.all(nested)).resolves.toHaveLength(10);
    expect(work.most).toBe(10);
  });
});
