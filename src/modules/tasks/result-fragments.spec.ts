import * as fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.js';
import { fragmentsOf } from './result-fragments.js';

describe('fragments of a text', () => {
  it('are the text again, short enough, and never part a pair of surrogates', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 1, max: 9 }), (text, length) => {
        const fragments = fragmentsOf(text, length);
        expect(fragments.join('')).toBe(text);
        for (const fragment of fragments) {
          expect(fragment.length).toBeGreaterThan(0);
          expect(fragment.length).toBeLessThanOrEqual(Math.max(length, 2));
          expect(Buffer.from(fragment).toString()).toBe(fragment);
        }
      }),
    );
  });

  it('are none for an empty text', () => {
    expect(fragmentsOf('')).toEqual([]);
  });
});
