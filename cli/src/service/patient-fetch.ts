import { setTimeout as delay } from 'node:timers/promises';
import { pauseBefore, type Repeat } from './retry-after.rules.js';

export type { Repeat };

const ATTEMPTS = 5;

/** fetch that waits as long as a busy service asks for and tries again, where trying twice does no harm. */
export function patientFetch(options: {
  repeat: Repeat;
  waiting?: ((text: string) => void) | undefined;
}): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    for (let attempt = 1; ; attempt++) {
      // A body can be read once: the copy is sent, the original kept for another attempt.
      const last = attempt === ATTEMPTS || (request.body !== null && options.repeat !== 'all');
      const response = await fetch(last ? request : request.clone());
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
      await delay(pause * 1000, undefined, { signal: request.signal });
    }
  };
}
