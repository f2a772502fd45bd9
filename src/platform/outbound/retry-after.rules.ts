/** What of an answer decides whether and when a request is sent again. Header names are lower case. */
export interface AnswerHead {
  status: number;
  headers: Pick<Headers, 'get'>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Timers overflow beyond 2^31 milliseconds and would end at once. */
const LONGEST_TOLD_PAUSE_MS = 24 * 3_600_000;

/** Whether the provider did not act on the request because the caller asked too often. */
export function isRateLimited({ status, headers }: AnswerHead): boolean {
  if (status === 429) return true;
  return (
    status === 403 && (headers.get('retry-after') !== null || headers.get('x-ratelimit-remaining') === '0')
  );
}

/** Whether the same request may succeed later. */
export function isTransient(answer: AnswerHead): boolean {
  return answer.status >= 500 || isRateLimited(answer);
}

/**
 * Milliseconds to wait before try `attempt + 1`: what `Retry-After` says (seconds or a date), else the time at which
 * the limit is reset (seconds since the epoch), a day at most; else an exponential pause with jitter. `random` is from 0
 * to 1.
 */
export function pauseBefore(
  answer: AnswerHead | undefined,
  { attempt, now, random }: { attempt: number; now: Date; random: number },
): number {
  const told = answer && toldPause(answer, now);
  if (told !== undefined) return Math.min(LONGEST_TOLD_PAUSE_MS, told);
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return Math.round(pause * (0.5 + random / 2));
}

function toldPause(answer: AnswerHead, now: Date): number | undefined {
  const after = answer.headers.get('retry-after');
  if (after !== null) {
    if (/^\d{1,9}$/.test(after.trim())) return Number(after) * 1_000;
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - now.getTime());
  }
  const reset = answer.headers.get('x-ratelimit-reset') ?? answer.headers.get('ratelimit-reset');
  if (isRateLimited(answer) && reset !== null && /^\d{1,12}$/.test(reset))
    return Math.max(0, Number(reset) * 1_000 - now.getTime());
  return undefined;
}
