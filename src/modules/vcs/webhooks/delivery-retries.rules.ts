const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;
/** With these pauses a lane waits for more than two hours for a provider that is down. */
const MAX_LANE_ATTEMPTS = 32;
/** Refusals and failures of this service hardly end within seconds; the lane goes on without the delivery. */
const MAX_LANE_ATTEMPTS_REFUSED = 4;
const FIRST_ASIDE_PAUSE_MS = 60_000;
const LONGEST_ASIDE_PAUSE_MS = 2 * 3_600_000;

/** When a delivery that failed is worked on again. */
export interface NextAttempt {
  pauseMs: number;
  /** it steps out of its lane; handlers ask the provider what is true, so deliveries may change their order */
  isAside: boolean;
}

/**
 * An acknowledged delivery is worked on until it succeeds (or is `TOO_OLD`): first within its lane, whose order it keeps,
 * then aside. `attempts` counts the failed ones, from 1.
 */
export function nextAttempt(attempts: number, errorId: string): NextAttempt {
  const most = errorId === 'PROVIDER_UNAVAILABLE' ? MAX_LANE_ATTEMPTS : MAX_LANE_ATTEMPTS_REFUSED;
  if (attempts < most)
    return { pauseMs: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1)), isAside: false };
  const pauseMs = Math.min(LONGEST_ASIDE_PAUSE_MS, FIRST_ASIDE_PAUSE_MS * 2 ** (attempts - most));
  return { pauseMs, isAside: true };
}
