/** How often something random is tried: a few times in every test run, often with `npm run test:endurance`. */
export function rounds<T>(usual: T, long: T): T {
  return process.env['TEST_ENDURANCE'] === undefined ? usual : long;
}

/** Cases of which a test run tries some, and `npm run test:endurance` all. */
export function cases<T>(usual: readonly T[], more: readonly T[]): T[] {
  return process.env['TEST_ENDURANCE'] === undefined ? [...usual] : [...usual, ...more];
}

/**
 * What random tests begin with: the same in every usual run, so that a run fails for what was changed and for nothing
 * else, and another one in each `npm run test:endurance`. `FUZZ_SEED` repeats one.
 */
export const SEED = Number(process.env['FUZZ_SEED'] ?? rounds(424_242, Date.now() % 1_000_000));
