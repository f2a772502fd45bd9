const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;
/** With these pauses a provider may be down for more than two hours. */
const MAX_ATTEMPTS = 32;
/** What the provider refuses, or what fails here, will hardly succeed later; the lane must go on. */
const MAX_ATTEMPTS_REFUSED = 4;

/** Milliseconds before a delivery is worked on again after so many attempts; undefined: never. */
export function pauseAfter(attempts: number, errorId: string): number | undefined {
  const most = errorId === 'PROVIDER_UNAVAILABLE' ? MAX_ATTEMPTS : MAX_ATTEMPTS_REFUSED;
  if (attempts >= most) return undefined;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
}
