import { pauseAfter } from './delivery-retries.rules.js';

describe('A delivery that failed', () => {
  it('is worked on for more than an hour while the provider does not answer', () => {
    let sum = 0;
    for (let attempts = 1; ; attempts += 1) {
      const pause = pauseAfter(attempts, 'PROVIDER_UNAVAILABLE');
      if (pause === undefined) break;
      sum += pause;
    }
    expect(sum).toBeGreaterThan(2 * 3_600_000);
  });

  it('does not hold up its lane for what will not become better', () => {
    expect([1, 2, 3, 4].map((attempts) => pauseAfter(attempts, 'PROVIDER_REFUSED'))).toEqual([
      2_000,
      4_000,
      8_000,
      undefined,
    ]);
  });
});
