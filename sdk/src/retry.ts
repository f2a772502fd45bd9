import { ApiError, retryAfterOf } from './api-error.js';

export interface RetryOptions {
  /** requests in all, the first among them (default 4) */
  attempts?: number;
  /** longest pause between two requests in milliseconds, unless the service asks for more (default 10,000) */
  maxDelayMs?: number;
}

export interface Transport {
  fetch: typeof fetch;
  /** false: nothing is sent twice */
  retry: RetryOptions | false;
  /** milliseconds until the head of an answer, all attempts and pauses together */
  timeoutMs: number;
}

const FIRST_DELAY_MS = 250;
const REPEATABLE_STATUSES = new Set([429, 502, 503, 504]);
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** POST routes that do no harm when they are sent twice: they read, or reach the same end. */
export const IDEMPOTENT_POSTS: readonly string[] = [
  '/api/v1/tx/{txId}/abort',
  '/api/v1/states/{stateId}/revision/compare',
  '/api/v1/states/{stateId}/revision/hash',
  '/api/v1/users/set-instance-admin',
  '/api/v1/tenants/{tenantId}/members/set-role',
  '/api/v1/actuator/results',
  '/api/v1/actuator/bundle',
  '/api/v1/actuator/bundle/cursors',
];
const IDEMPOTENT = IDEMPOTENT_POSTS.map((path) => new RegExp(`${path.replace(/\{\w+\}/g, '[^/]+')}$`));

/** Whether a request may be sent again when it is not known what became of it. */
export function isRepeatable(method: string, path: string): boolean {
  return SAFE_METHODS.has(method) || (method === 'POST' && IDEMPOTENT.some((pattern) => pattern.test(path)));
}

/** fetch with a deadline, and with pauses and further attempts where trying again does no harm. */
export function retryingFetch({ fetch: send, retry, timeoutMs }: Transport): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const deadline = Date.now() + timeoutMs;
    const attempts =
      retry === false || !isRepeatable(request.method, new URL(request.url).pathname)
        ? 1
        : (retry.attempts ?? 4);
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts;
      const outcome = await attemptOnce(send, isLast ? request : request.clone(), deadline);
      const pause = isLast ? undefined : pauseAfter(outcome, attempt, retry === false ? {} : retry);
      // An answer that comes after the deadline is worth less than the one that is there.
      if (pause === undefined || Date.now() + pause >= deadline) {
        if ('failure' in outcome) throw outcome.failure;
        return outcome.response;
      }
      if ('response' in outcome) await outcome.response.body?.cancel();
      await sleep(pause, request.signal);
    }
  };
}

type Outcome = { response: Response } | { failure: unknown; isFinal: boolean };

async function attemptOnce(send: typeof fetch, request: Request, deadline: number): Promise<Outcome> {
  const timer = new AbortController();
  const left = Math.max(0, Math.min(deadline - Date.now(), 2 ** 31 - 1));
  const timeout = setTimeout(() => timer.abort(), left);
  const cancel = (): void => timer.abort();
  request.signal.addEventListener('abort', cancel, { once: true });
  try {
    request.signal.throwIfAborted();
    // The signal of the request stays with the body; the deadline ends with the head of the answer.
    return { response: await send(new Request(request, { signal: timer.signal })) };
  } catch (error) {
    if (request.signal.aborted) return { failure: request.signal.reason, isFinal: true };
    if (timer.signal.aborted)
      return {
        failure: new ApiError('the service did not answer in time', {
          status: 0,
          id: 'TIMEOUT',
          cause: error,
        }),
        isFinal: true,
      };
    const message = `${new URL(request.url).origin} cannot be reached (${reasonOf(error)})`;
    return { failure: new ApiError(message, { status: 0, id: 'UNREACHABLE', cause: error }), isFinal: false };
  } finally {
    clearTimeout(timeout);
  }
}

/** Milliseconds; undefined when the outcome stands. */
function pauseAfter(
  outcome: Outcome,
  attempt: number,
  { maxDelayMs = 10_000 }: RetryOptions,
): number | undefined {
  if ('failure' in outcome ? outcome.isFinal : !REPEATABLE_STATUSES.has(outcome.response.status))
    return undefined;
  const backOff = Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** (attempt - 1));
  const asked = 'response' in outcome ? retryAfterOf(outcome.response.headers, Date.now()) : undefined;
  // Half of it by chance: clients that failed together do not come back together.
  return Math.max((asked ?? 0) * 1000, backOff / 2 + (Math.random() * backOff) / 2);
}

/** fetch hides why it failed in a chain of causes. */
function reasonOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as { code?: unknown };
  return typeof code === 'string' ? code : cause.message;
}

/** Rejects with the signal's reason when it is aborted. */
export function sleep(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', fail);
      resolve();
    }, milliseconds);
    if (signal?.aborted) fail();
    else signal?.addEventListener('abort', fail, { once: true });
  });
}
