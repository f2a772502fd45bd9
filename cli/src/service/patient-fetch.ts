import { setTimeout as delay } from 'node:timers/promises';
import { pauseBefore, type Repeat } from './retry-after.rules.js';

export type { Repeat };

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;
/** Nothing is sent again later than so long after the first attempt. */
const PATIENCE_MS = 5 * 60_000;
/** Nobody answers at this address: waiting for that at the first attempt would only hide a mistake in the address. */
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * fetch that waits as long as a busy service asks for and tries again, where trying twice does no harm. What is only read
 * is also asked for again when the connection was lost.
 */
export function patientFetch(options: {
  repeat: Repeat;
  waiting?: ((text: string) => void) | undefined;
}): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const signal: AbortSignal | undefined = request.signal;
    const end = Date.now() + PATIENCE_MS;
    for (let attempt = 1; ; attempt++) {
      // A body can be read once: the copy is sent, the original kept for another attempt.
      const last =
        attempt === ATTEMPTS || Date.now() > end || (request.body !== null && options.repeat !== 'all');
      const response = await answerOf(last ? request : request.clone(), { attempt, last });
      if (response === undefined) {
        await delay(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, signal ? { signal } : {});
        continue;
      }
      const pause = last
        ? undefined
        : pauseBefore(
            { method: request.method, repeat: options.repeat },
            { status: response.status, retryAfter: response.headers.get('retry-after') },
            Date.now(),
          );
      if (pause === undefined) return response;
      // Its end may never come, or the answer break off: neither matters to another attempt.
      await response.body?.cancel();
      options.waiting?.(`the service is busy (${response.status}); trying again in ${Math.ceil(pause)} s`);
      await delay(pause * 1000, undefined, signal ? { signal } : {});
    }
  };
}

/** Undefined when the connection was lost and the request may be sent again. */
async function answerOf(
  request: Request,
  { attempt, last }: { attempt: number; last: boolean },
): Promise<Response | undefined> {
  // The client's own requests have none where nobody gave one.
  const signal: AbortSignal | undefined = request.signal;
  try {
    return await fetch(request);
  } catch (error) {
    const isWrongAddress = attempt === 1 && isNobodyThere(error);
    if (last || isWrongAddress || !isRead(request) || signal?.aborted) throw error;
    return undefined;
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isNobodyThere(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return NOBODY_THERE.has(cause?.code ?? '');
}
