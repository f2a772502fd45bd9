import { type QueuedRun, waitsFor } from './waiting.rules.js';

const NOW = new Date('2026-01-01T10:00:00Z');
const RUN: QueuedRun = {
  place: 'ci',
  pool: null,
  dispatchState: null,
  retryAt: null,
  blockers: [],
  busyRuns: 0,
  maxRuns: 20,
  poolSeenAt: undefined,
};
const reasons = (fields: Partial<QueuedRun>) =>
  waitsFor({ ...RUN, ...fields }, NOW).map(({ reason }) => reason);
const blocker = { dir: 'a', workspace: 'prod', run_id: 'r', run_type: 'apply', is_running: true };

describe('what a queued run waits for', () => {
  it('is its turn when nothing stands in the way', () => {
    expect(reasons({})).toEqual(['turn']);
    expect(reasons({ retryAt: new Date(NOW.getTime() - 1) })).toEqual(['turn']);
  });

  it('is one thing once it is on its way', () => {
    const blocked = { blockers: [blocker], busyRuns: 20 };
    expect(reasons({ ...blocked, dispatchState: 'sending' })).toEqual(['dispatch']);
    expect(reasons({ ...blocked, dispatchState: 'sent' })).toEqual(['runner']);
  });

  it('is everything that stands in the way, with the run that does', () => {
    const retryAt = new Date(NOW.getTime() + 1);
    expect(reasons({ blockers: [blocker], busyRuns: 20, retryAt })).toEqual(['directory', 'limit', 'retry']);
    expect(waitsFor({ ...RUN, blockers: [blocker] }, NOW)).toEqual([
      { reason: 'directory', text: 'an apply runs in a (prod)', work_manifest_id: 'r' },
    ]);
  });

  it('is a pool that is not there or has no machines', () => {
    const inPool = { place: 'pool', pool: 'builders' } as const;
    const seen = (ago: number) => new Date(NOW.getTime() - ago);
    expect(reasons({ ...inPool, poolSeenAt: undefined })).toEqual(['pool']);
    expect(reasons({ ...inPool, poolSeenAt: null })).toEqual(['pool']);
    expect(reasons({ ...inPool, poolSeenAt: seen(60_000) })).toEqual(['pool']);
    expect(reasons({ ...inPool, poolSeenAt: seen(59_999) })).toEqual(['turn']);
  });
});
