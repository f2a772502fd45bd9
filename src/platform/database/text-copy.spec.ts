import fc from 'fast-check';
import { copiedText, copyLine } from './text-copy.js';

const odd = fc.string({ unit: fc.constantFrom(...'\\\t\n\rtnrN a') });

describe('A line of the text form of COPY', () => {
  it('has one line and as many fields as its row, which read as they were', () => {
    fc.assert(
      fc.property(fc.array(odd, { minLength: 1 }), (row) => {
        const line = copyLine(row);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(line.slice(0, -1).split('\t').map(copiedText)).toEqual(row);
      }),
    );
  });

  it('tells null from its spelling, and replaces what PostgreSQL cannot keep', () => {
    expect(copyLine([null, undefined, '\\N', 7, true, 'a\0b'])).toBe('\\N\t\\N\t\\\\N\t7\ttrue\ta\ufffdb\n');
  });
});
