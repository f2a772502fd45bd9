import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 250;

/** What the service answers once it has computed it; undefined when the time is over. */
export async function whenComputed<T extends object>(
  ask: () => Promise<T | { status: 'computing' }>,
  seconds: number,
): Promise<T | undefined> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const found = await ask();
    if (!('status' in found)) return found;
    const left = until - performance.now();
    if (left <= 0) return undefined;
    await delay(Math.min(POLL_MS, left));
  }
}
