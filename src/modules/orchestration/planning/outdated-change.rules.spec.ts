import { isOutdated, type PullRequestMoment } from './outdated-change.rules.js';

const at = (seconds: number, fields: Partial<PullRequestMoment> = {}): PullRequestMoment => ({
  sha: 'one',
  baseBranch: 'main',
  state: 'open',
  updatedAt: new Date(seconds * 1000),
  ...fields,
});

describe('What was read of a pull request', () => {
  it.each([
    ['is current while nothing is recorded', at(10), undefined, false],
    ['is current while the record says the same, however new', at(10), at(20), false],
    ['is outdated by a newer head', at(10), at(20, { sha: 'two' }), true],
    ['is outdated by another base', at(10), at(20, { baseBranch: 'staging' }), true],
    ['is outdated by the end of the pull request', at(10), at(20, { state: 'closed' }), true],
    ['is outdated by another head of the same second', at(10), at(10, { sha: 'two' }), true],
    ['is current when the record is older', at(20), at(10, { sha: 'two', state: 'closed' }), false],
  ] as const)('%s', (_, read, recorded, expected) => {
    expect(isOutdated(read, recorded)).toBe(expected);
  });
});
