import { withTwoDashes } from './plan-options.js';

describe("terraform's way of writing options", () => {
  it('is understood for plan and apply, and values are left alone', () => {
    expect(withTwoDashes(['plan', '-out=x', '-var', 'a=-b', '-refresh=false', '--json'])).toEqual([
      'plan',
      '--out=x',
      '--var',
      'a=-b',
      '--refresh=false',
      '--json',
    ]);
    expect(withTwoDashes(['--json', 'apply', '-auto-approve', 'file'])).toEqual([
      '--json',
      'apply',
      '--auto-approve',
      'file',
    ]);
  });

  it('is not what other commands know', () => {
    expect(withTwoDashes(['states', '-list'])).toEqual(['states', '-list']);
  });
});
