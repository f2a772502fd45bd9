import { Failure } from '../failure.js';

const MINUTE_MS = 60_000;

/** Calls `work` after a time; answers how to call it off. */
export type Schedule = (ms: number, work: () => void) => () => void;

const schedule: Schedule = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** The run took longer than its configuration allows. */
export class TimeLimitExceeded extends Failure {
  constructor(minutes: number) {
    super(
      'RUN_TIME_LIMIT',
      `stopped after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}: \`timeout_minutes\` is exceeded; ` +
        'if the run needs more time, set `run.timeout_minutes` on the base branch',
    );
  }
}

/** Why a run was stopped, where that is its time limit. */
export function timeLimitOf({ reason }: Pick<AbortSignal, 'reason'>): TimeLimitExceeded | undefined {
  return reason instanceof TimeLimitExceeded ? reason : undefined;
}

/** Stops a run that began at `begunAt` (`performance.now()`) when its minutes are over; answers how to call it off. */
export function limitTime(
  { timeout_minutes: minutes }: { timeout_minutes: number },
  { begunAt, after = schedule }: { begunAt: number; after: Schedule | undefined },
  stop: (reason: TimeLimitExceeded) => void,
): () => void {
  const left = minutes * MINUTE_MS - (performance.now() - begunAt);
  return after(Math.max(0, left), () => stop(new TimeLimitExceeded(minutes)));
}
