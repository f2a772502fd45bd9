import { httpErrors } from '../errors/app-error.js';
import { withDeadline } from '../time/deadline.js';

/** How long a sender may keep the service waiting for bytes. Time the service itself takes does not count. */
export interface BodyPace {
  /** waiting allowed at the beginning */
  graceMs: number;
  /** each received byte earns this much more waiting */
  msPerByte: number;
  /** waiting that can be saved up */
  maxCreditMs: number;
}

/** A body that is small: all of it within 30 seconds of waiting. */
export const SMALL_BODY_PACE: BodyPace = { graceMs: 30_000, msPerByte: 0, maxCreditMs: 30_000 };
/** A state document may take hours on a slow line, but not less than 16 KiB a second after the first 30 seconds. */
export const DOCUMENT_PACE: BodyPace = {
  graceMs: 30_000,
  msPerByte: 1000 / (16 * 1024),
  maxCreditMs: 60_000,
};

/** Passes parts on as they arrive; throws 408 when the sender has used up its credit of waiting. */
export async function* atPace(
  parts: AsyncIterator<Buffer>,
  { graceMs, msPerByte, maxCreditMs }: BodyPace,
): AsyncGenerator<Buffer> {
  let credit = graceMs;
  let isEnded = false;
  try {
    for (;;) {
      const begun = performance.now();
      const next = await withDeadline(parts.next(), credit, refuseLate);
      credit -= performance.now() - begun;
      if (next.done) break;
      credit = Math.min(maxCreditMs, credit + next.value.length * msPerByte);
      yield next.value;
    }
    isEnded = true;
  } finally {
    // Not awaited: after a timeout the sender is still being waited for in there.
    if (!isEnded) void parts.return?.()?.catch(() => undefined);
  }
}

function refuseLate(): never {
  throw httpErrors.REQUEST_TIMEOUT(undefined, { Connection: 'close' });
}
