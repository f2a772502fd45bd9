import { useSyncExternalStore } from 'react';
import { serviceNow } from '../client';
import { exactTime, relativeTime } from './relative-time';

const REFRESH_MS = 20_000;
const listeners = new Set<() => void>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for every time on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    ticks += 1;
    for (const one of listeners) one();
  }, REFRESH_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** A time, relative and kept fresh, with the exact instant on hover. */
export function Time({ value, exact = false }: { value: string | null | undefined; exact?: boolean }) {
  useSyncExternalStore(subscribe, () => ticks);
  const instant = Date.parse(value ?? '');
  if (Number.isNaN(instant)) return <>–</>;
  return (
    <time dateTime={value ?? ''} title={exactTime(instant)}>
      {exact ? exactTime(instant) : relativeTime(instant, serviceNow())}
    </time>
  );
}
