import { STOPPING_SECONDS, workingMinutes } from './run-time-limit.rules.js';

describe('The minutes that a runner may work', () => {
  it.each([
    ['are those of the configuration', 60, 21_600, 60],
    ['leave time to stop before the longest time of any run', 1440, 21_600, 355],
    ['are never less than one', 60, 60, 1],
  ])('%s', (_, timeoutMinutes, maxRunSeconds, minutes) => {
    expect(workingMinutes(timeoutMinutes, maxRunSeconds)).toBe(minutes);
  });

  it('leave more than the minute in which Terraform is killed', () => {
    expect(STOPPING_SECONDS).toBeGreaterThan(120);
  });
});
