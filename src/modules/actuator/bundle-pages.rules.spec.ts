import * as fc from 'fast-check';
import { pageLength, pageStarts } from './bundle-pages.rules.js';

describe('the pages of a bundle', () => {
  it('follow on each other, hold every entry once, and are as long as they may be', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 9 }), (list, limit) => {
        const starts = pageStarts(list, limit, 10);
        const pages = starts.map((start, i) => list.slice(start, starts[i + 1]));
        expect(pages.flat()).toEqual(list);
        for (const [i, page] of pages.entries()) {
          const sum = page.reduce((a, b) => a + b, 0);
          const next = pages[i + 1]?.[0];
          expect(page.length <= limit && (page.length <= 1 || sum <= 10)).toBe(true);
          expect(next === undefined || page.length === limit || sum + next > 10).toBe(true);
          expect(pageLength(list.slice(starts[i]), limit, 10)).toBe(page.length);
        }
      }),
    );
  });

  it('are one when there is nothing', () => {
    expect(pageStarts([], 5)).toEqual([0]);
  });
});
