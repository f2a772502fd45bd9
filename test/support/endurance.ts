/** How often something random is tried: a few times in every test run, often with `npm run test:endurance`. */
export function rounds<T>(usual: T, long: T): T {
  return process.env['TEST_ENDURANCE'] === undefined ? usual : long;
}

/** Cases of which a test run tries some, and `npm run test:endurance` all. */
export function cases<T>(usual: readonly T[], more: readonly T[]): T[] {
  return process.env['TEST_ENDURANCE'] === undefined ? [...usual] : [...usual, ...more];
}
