import type { GroupCredentials } from '../hosts/group-credentials.store.js';
import type { VcsMetrics } from '../hosts/vcs-metrics.js';
import type { VcsSettings } from '../hosts/vcs-settings.js';
import type { Secrets } from '../../../platform/crypto/secrets.js';
import type { JobRun } from '../../../platform/queue/index.js';
import type { DeliveriesStore, WaitingDelivery } from './deliveries.store.js';
import type { DeliveryHandlers } from './delivery-handlers.js';
import type { NextAttempt } from './delivery-retries.rules.js';
import { DeliveryProcessing } from './process-deliveries.job.js';

describe('The processing of a delivery', () => {
  const delivery = { id: 'd', provider: 'github', event: 'push', attempts: 3 } as WaitingDelivery;
  let calls: string[];

  /** One lane with one delivery, whose fourth attempt `handle` is. */
  function processingWith(handle: (processing: DeliveryProcessing) => Promise<never>): DeliveryProcessing {
    calls = [];
    const lanes = [['lane'], []];
    const told = (name: string) => async () => void calls.push(name);
    const store = {
      listDueLanes: async () => lanes.shift() ?? [],
      lease: async () => true,
      listNext: async () => (calls.length === 0 ? [delivery] : []),
      openBody: () => Buffer.from('{}'),
      release: async () => true,
      abandon: told('abandon'),
      retry: async (_id: string, { isAside }: NextAttempt) =>
        void calls.push(isAside ? 'retry aside' : 'retry'),
      finish: async (_id: string, state: string) => void calls.push(state),
    } as unknown as DeliveriesStore;
    const processing: DeliveryProcessing = new DeliveryProcessing(
      { isEnabled: true } as VcsSettings,
      store,
      { handle: () => handle(processing) } as unknown as DeliveryHandlers,
      {} as GroupCredentials,
      { countDelivery: () => undefined } as unknown as VcsMetrics,
      { uuid: () => 'holder' } as Secrets,
    );
    return processing;
  }

  it('does not count as an attempt when the process stops meanwhile', async () => {
    const processing = processingWith((own) => {
      own.onModuleDestroy();
      return Promise.reject(new Error('interrupted'));
    });
    await processing.process({}, {} as JobRun);
    expect(calls).toEqual(['abandon']);
  });

  it('steps aside, and is not given up, when it keeps failing', async () => {
    const processing = processingWith(() => Promise.reject(new Error('mistake')));
    await processing.process({}, {} as JobRun);
    expect(calls).toEqual(['retry aside']);
  });

  it('takes turns between the lanes, in the order of each', async () => {
    const LANES = Array.from({ length: 20 }, (_, n) => `lane ${n}`);
    const left = new Map(LANES.map((lane) => [lane, [1, 2, 3].map((n) => `${lane} ${n}`)]));
    const worked: string[] = [];
    const store = {
      listDueLanes: async () => LANES.filter((lane) => left.get(lane)?.length),
      lease: async () => true,
      abandon: async () => undefined,
      listNext: async (lane: string, limit: number) =>
        left
          .get(lane)
          ?.slice(0, limit)
          .map((id) => ({ id, provider: 'github', event: 'push', attempts: 0 })),
      openBody: () => Buffer.from('{}'),
      release: async () => true,
      finish: async (id: string) => {
        worked.push(id);
        expect(left.get(id.slice(0, -2))?.shift()).toBe(id);
      },
    } as unknown as DeliveriesStore;
    const processing = new DeliveryProcessing(
      { isEnabled: true } as VcsSettings,
      store,
      { handle: async () => 'processed' } as unknown as DeliveryHandlers,
      {} as GroupCredentials,
      { countDelivery: () => undefined } as unknown as VcsMetrics,
      { uuid: () => 'holder' } as Secrets,
    );
    await processing.process({}, {} as JobRun);
    expect(worked).toHaveLength(60);
    for (const round of [1, 2, 3]) {
      const places = LANES.map((lane) => worked.indexOf(`${lane} ${round}`));
      // Eight lanes are worked on at a time: those that nobody waits behind any more go on, so that rounds overlap a little.
      expect(Math.min(...places)).toBeGreaterThanOrEqual((round - 1) * LANES.length - 16);
      expect(Math.max(...places)).toBeLessThan(round * LANES.length + 16);
    }
  });
});
