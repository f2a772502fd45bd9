import type { WaitView } from '../dto/overview.dto.js';
import type { Blocker } from './run-standing.queries.js';

/** What decides whether a queued run may be sent. */
export interface QueuedRun {
  place: 'ci' | 'pool';
  pool: string | null;
  dispatchState: 'sending' | 'sent' | null;
  retryAt: Date | null;
  blockers: readonly Blocker[];
  busyRuns: number;
  maxRuns: number;
  /** of its pool; undefined: the tenant has none of that name */
  poolSeenAt: Date | null | undefined;
}

/** A pool whose machines have not asked for work for so long has none. */
const POOL_SILENT_MS = 60_000;

/** Everything that a queued run waits for, in the order in which it is decided. */
export function waitsFor(run: QueuedRun, now: Date): WaitView[] {
  if (run.dispatchState === 'sent')
    return [{ reason: 'runner', text: 'It was started; its runner has not reported yet.' }];
  if (run.dispatchState === 'sending')
    return [{ reason: 'dispatch', text: 'The code host is being asked to start it.' }];
  const waits = run.blockers.map(blockedBy);
  if (run.busyRuns >= run.maxRuns)
    waits.push({
      reason: 'limit',
      text: `${run.busyRuns} runs of this installation are under way, as many as may be at once.`,
    });
  if (run.retryAt !== null && run.retryAt > now)
    waits.push({
      reason: 'retry',
      text: `The code host refused to start it; it is asked again after ${run.retryAt.toISOString()}.`,
    });
  const poolWait = run.place === 'pool' ? waitForPool(run, now) : undefined;
  if (poolWait) waits.push(poolWait);
  return waits.length > 0 ? waits : [{ reason: 'turn', text: 'It is next, or waits for its turn.' }];
}

function blockedBy({ dir, workspace, run_id, run_type, is_running }: Blocker): WaitView {
  const where = workspace === 'default' ? dir : `${dir} (${workspace})`;
  const what = run_type === 'apply' ? 'an apply' : 'a plan';
  return {
    reason: 'directory',
    text: is_running ? `${what} runs in ${where}` : `${what} that was asked for earlier waits for ${where}`,
    work_manifest_id: run_id,
  };
}

function waitForPool({ pool, poolSeenAt }: QueuedRun, now: Date): WaitView | undefined {
  if (poolSeenAt === undefined)
    return {
      reason: 'pool',
      text: `The tenant has no runner pool named ${pool ?? ''}. Create it, or change run.pool on the base branch.`,
    };
  if (poolSeenAt !== null && now.getTime() - poolSeenAt.getTime() < POOL_SILENT_MS) return undefined;
  const since = poolSeenAt === null ? 'yet' : `since ${poolSeenAt.toISOString()}`;
  return { reason: 'pool', text: `No runner of the pool ${pool ?? ''} has asked for work ${since}.` };
}
