/** How often something random is tried: a few times in every test run, often with `npm run test:endurance`. */
export function rounds<T>(usual: T, long: T): T {
  return process.env['TEST_ENDURANCE'] === undefined ? usual : long;
}
