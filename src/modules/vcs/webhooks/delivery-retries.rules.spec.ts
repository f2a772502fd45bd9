import fc from 'fast-check';
import { nextAttempt } from './delivery-retries.rules.js';

describe('A delivery that failed', () => {
  it('keeps its place for more than two hours while the provider does not answer', () => {
    let sum = 0;
    for (let attempts = 1; ; attempts += 1) {
      const { pauseMs, isAside } = nextAttempt(attempts, 'PROVIDER_UNAVAILABLE');
      if (isAside) break;
      sum += pauseMs;
    }
    expect(sum).toBeGreaterThan(2 * 3_600_000);
  });

  it('does not hold up its lane for what will not become better soon', () => {
    expect([1, 2, 3, 4, 5].map((attempts) => nextAttempt(attempts, 'INTERNAL_ERROR'))).toEqual([
      { pauseMs: 2_000, isAside: false },
      { pauseMs: 4_000, isAside: false },
      { pauseMs: 8_000, isAside: false },
      { pauseMs: 60_000, isAside: true },
      { pauseMs: 120_000, isAside: true },
    ]);
  });

  it('is tried again for ever, after two hours at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom('PROVIDER_UNAVAILABLE', 'PROVIDER_REFUSED', 'INTERNAL_ERROR'),
        (attempts, errorId) => {
          const { pauseMs, isAside } = nextAttempt(attempts, errorId);
          expect(pauseMs).toBeGreaterThan(0);
          expect(pauseMs).toBeLessThanOrEqual(2 * 3_600_000);
          // Once aside, it stays aside.
          if (isAside) expect(nextAttempt(attempts + 1, errorId).isAside).toBe(true);
        },
      ),
    );
  });
});
