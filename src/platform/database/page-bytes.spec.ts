import * as fc from 'fast-check';
import { MAX_PAGE_BYTES, rowsOfPage } from './page-bytes.js';

describe('The rows of a page', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 2 * MAX_PAGE_BYTES }), { maxLength: 30 });

  it('are one at least, as many as asked for at most, and fit unless one alone does not', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 40 }), (bytes, limit) => {
        const rows = bytes.map((row_bytes) => ({ row_bytes }));
        const shown = rowsOfPage(rows, limit);
        const total = (count: number) => bytes.slice(0, count).reduce((sum, size) => sum + size, 0);
        expect(shown).toEqual(rows.slice(0, shown.length));
        expect(shown.length).toBeGreaterThanOrEqual(Math.min(1, rows.length));
        expect(shown.length).toBeLessThanOrEqual(limit);
        if (shown.length > 1) expect(total(shown.length)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
        // Nothing that would have fitted is left out.
        if (shown.length < Math.min(limit, rows.length))
          expect(total(shown.length + 1)).toBeGreaterThan(MAX_PAGE_BYTES);
      }),
    );
  });
});
