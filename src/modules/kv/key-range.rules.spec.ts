import fc from 'fast-check';
import { endOfPrefix } from './key-range.rules.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('The end of a prefix', () => {
  it.each([
    ['a', 'b'],
    ['a/', 'a0'],
    ['\ud7ff', '\ue000'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}\u{10ffff}', undefined],
  ])('of %j is %j', (prefix, end) => {
    expect(endOfPrefix(prefix)).toBe(end);
  });

  it('is behind every text with the prefix and before every other text behind the prefix', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, text, (prefix, other) => {
        const end = endOfPrefix(prefix);
        const inRange =
          Buffer.compare(bytes(other), bytes(prefix)) >= 0 &&
          (end === undefined || Buffer.compare(bytes(other), bytes(end)) < 0);
        return inRange === other.startsWith(prefix);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(text, text, (prefix, rest) => {
        const end = endOfPrefix(prefix);
        return end === undefined || Buffer.compare(bytes(prefix + rest), bytes(end)) < 0;
      }),
    );
  });
});
