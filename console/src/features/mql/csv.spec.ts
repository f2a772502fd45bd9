/** @jest-environment @happy-dom/jest-environment */
import fc from 'fast-check';
import { parseLossless } from '../../platform/client/lossless';
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
