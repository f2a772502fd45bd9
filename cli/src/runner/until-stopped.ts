import { interrupted } from '../run/interruption.js';

/** Waits for work that other runs of this process share. When this run is stopped, it throws, and the work goes on. */
export async function untilStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => (stop = () => reject(interrupted())));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
