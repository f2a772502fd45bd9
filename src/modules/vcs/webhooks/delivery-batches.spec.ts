import fc from 'fast-check';
import { DeliveryBatches } from './delivery-batches.js';
import type { DeliveriesStore, StoredDelivery } from './deliveries.store.js';

const aDelivery = (deliveryId: string, bytes = 10): StoredDelivery => ({
  provider: 'github',
  source: 'app',
  deliveryId,
  installationId: undefined,
  providerInstallationId: '1',
  event: 'push',
  action: undefined,
  lane: 'a lane',
  body: Buffer.alloc(bytes),
});

/** Keeps what it is given as the table does: an id once. */
class Table {
  readonly batches: string[][] = [];
  readonly ids = new Set<string>();
  running = 0;
  most = 0;
  poisonous: string | undefined;

  async store(deliveries: readonly StoredDelivery[]): Promise<boolean[]> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await new Promise((done) => setImmediate(done));
    this.running -= 1;
    const ids = deliveries.map(({ deliveryId }) => deliveryId);
    if (this.poisonous !== undefined && ids.includes(this.poisonous)) throw new Error('refused');
    this.batches.push(ids);
    return ids.map((id) => !this.ids.has(id) && Boolean(this.ids.add(id)));
  }
}

describe('Deliveries that arrive at the same time', () => {
  const over = (table: Table) => new DeliveryBatches(table as unknown as DeliveriesStore);

  it('are stored together, each answered with whether it is new', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), async (numbers) => {
        const table = new Table();
        const batches = over(table);
        const isNew = await Promise.all(numbers.map((n) => batches.store(aDelivery(String(n)))));
        expect(isNew.filter(Boolean)).toHaveLength(new Set(numbers).size);
        expect(table.ids).toEqual(new Set(numbers.map(String)));
        expect(table.most).toBeLessThanOrEqual(2);
        expect(table.batches.every((batch) => batch.length <= 16)).toBe(true);
      }),
    );
  });

  it('need few statements, and large ones go alone', async () => {
    const table = new Table();
    const batches = over(table);
    await Promise.all(Array.from({ length: 64 }, (_, n) => batches.store(aDelivery(String(n)))));
    expect(table.batches.length).toBeLessThanOrEqual(6);
    table.batches.length = 0;
    const large = 3 * 1024 * 1024;
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => batches.store(aDelivery(id, large))));
    expect(table.batches.map((batch) => batch.length)).toEqual([1, 1, 1, 1]);
  });

  it('are stored all the same when one of them is refused', async () => {
    const table = new Table();
    table.poisonous = '7';
    const batches = over(table);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => batches.store(aDelivery(String(n)))),
    );
    expect(results.map(({ status }) => status === 'rejected').filter(Boolean)).toHaveLength(1);
    expect(results[7]).toMatchObject({ status: 'rejected' });
    expect(table.ids.size).toBe(19);
    expect(await batches.store(aDelivery('later'))).toBe(true);
  });
});
