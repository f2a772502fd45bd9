const PATIENCE_SECONDS = 120;
const WAITED_OUT = new Set([429, 502, 503]);
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

export type Repeat = 'safe' | 'all';

/** Seconds to wait before the same request is sent again; undefined when it is not to be sent again. */
export function pauseBefore(
  { method, repeat }: { method: string; repeat: Repeat },
  { status, retryAfter }: { status: number; retryAfter: string | null },
  now: number,
): number | undefined {
  if (!WAITED_OUT.has(status) || retryAfter === null) return undefined;
  if (repeat === 'safe' && !SAFE.has(method)) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - now) / 1000;
  if (Number.isNaN(seconds) || seconds > PATIENCE_SECONDS) return undefined;
  return Math.max(0, seconds);
}
