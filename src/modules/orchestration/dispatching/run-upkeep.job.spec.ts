import type { Config } from '../../../platform/config/index.js';
import type { UnitOfWork } from '../../../platform/database/index.js';
import type { JobRun, Jobs } from '../../../platform/queue/index.js';
import { type CodeHosts, vcsErrors } from '../../vcs/index.js';
import type { RunPlaces } from '../planning/run-places.js';
import { DispatchRunsJob } from '../runs/dispatch-runs.declaration.js';
import type { RunQueue } from '../runs/run-queue.store.js';
import type { Runs } from '../runs/runs.store.js';
import { RunUpkeep } from './run-upkeep.job.js';
import { SentRuns } from './sent-runs.js';

const NOW = new Date('2026-01-31T10:00:00Z');
const TOKEN_HASH = Buffer.from('hash');
const MINUTE_MS = 60_000;

describe('The upkeep of runs, while a provider does not answer', () => {
  /** One dispatch was lost; answers what was moved, given back and enqueued. */
  async function sweep(firstDispatchedMinutesAgo: number) {
    const done: unknown[][] = [];
    const run = {
      id: 'run',
      state: 'queued',
      workflow: 'infrastate.yml',
      workTokenHash: TOKEN_HASH,
      dispatchedAt: NOW,
      firstDispatchedAt: new Date(NOW.getTime() - firstDispatchedMinutesAgo * MINUTE_MS),
    };
    const query = async (sql: string) =>
      sql.includes(`dispatch_state = 'sending'`) ? [{ id: 'run', dispatched_at: NOW }] : [];
    const clock = { now: () => NOW };
    const work = { query } as unknown as UnitOfWork;
    const runs = {
      find: async () => run,
      abortAttempt: async (...ended: unknown[]) => void done.push(['abortAttempt', ...ended]),
    } as unknown as Runs;
    const queue = { giveBack: async () => void done.push(['giveBack']) } as unknown as RunQueue;
    const places = {
      of: async () => ({ installation: { provider: 'github' } }),
      refOf: async () => 'topic',
    } as unknown as RunPlaces;
    const hosts = {
      of: () => ({ listRuns: () => Promise.reject(vcsErrors.PROVIDER_UNAVAILABLE()) }),
    } as unknown as CodeHosts;
    const upkeep = new RunUpkeep(
      work,
      clock,
      { get: () => 3600 } as unknown as Config,
      runs,
      queue,
      new SentRuns(work, clock, runs, queue, places, hosts),
      { enqueue: async (job: unknown) => void done.push(['enqueue', job]) } as unknown as Jobs,
    );
    await upkeep.sweep({}, {} as JobRun);
    return done;
  }

  it('goes on with the runs of others', async () => {
    expect(await sweep(10)).toEqual([['enqueue', DispatchRunsJob]]);
  });

  it('gives up what could not be dispatched for an hour', async () => {
    expect(await sweep(61)).toEqual([
      ['abortAttempt', 'run', TOKEN_HASH, expect.objectContaining({ id: 'DISPATCH_FAILED' })],
      ['enqueue', DispatchRunsJob],
    ]);
  });
});
