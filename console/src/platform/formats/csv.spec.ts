/** @jest-environment @happy-dom/jest-environment */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { parseLossless } from '../client/lossless';
import { toCsv } from './csv';

it('writes RFC 4180 with a header, CRLF and every digit that came', () => {
  const rows = parseLossless('[{"a":9007199254740993,"b":"x, \\"y\\"","c":0.10,"d":null}]') as Record<
    string,
    unknown
  >[];
  expect(toCsv(['a', 'b', 'c', 'd'], rows)).toBe('a,b,c,d\r\n9007199254740993,"x, ""y""",0.10,\r\n');
});

it('never begins a text with what a spreadsheet would run', () => {
  fc.assert(
    fc.property(fc.constantFrom('=', '+', '-', '@', '\t', '\r'), fc.string(), (sign, rest) => {
      const line = toCsv(['x'], [{ x: `${sign}${rest}` }]).slice('x\r\n'.length);
      expect(line.replace(/^"/, '').startsWith("'")).toBe(true);
    }),
  );
});

it('leaves negative numbers alone', () => {
  expect(toCsv(['n'], [{ n: -5 }])).toBe('n\r\n-5\r\n');
});

it('is read back by a parser of RFC 4180 as it was, but for the apostrophes', () => {
  const texts = fc.oneof(fc.string(), fc.constantFrom('a,b', '"', 'x\r\ny', '', '=1+1', '\t', ' '));
  const tables = fc.integer({ min: 1, max: 4 }).chain((width) =>
    fc.record({
      columns: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: width, maxLength: width }),
      rows: fc.array(fc.array(texts, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
    }),
  );
  fc.assert(
    fc.property(tables, ({ columns, rows }) => {
      const objects = rows.map((row) =>
        Object.fromEntries(row.map((value, at) => [columns[at] ?? '', value])),
      );
      const text = toCsv(columns, objects);
      const read: string[][] = parse(text, { record_delimiter: '\r\n', skip_empty_lines: false });
      const safe = (value: string) => (/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
      // A line that is nothing but one empty field is not told from no line.
      fc.pre(columns.length > 1 || rows.every(([value]) => value !== ''));
      expect(read).toEqual([columns, ...rows.map((row) => row.map(safe))]);
    }),
  );
});
