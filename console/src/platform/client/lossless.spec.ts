import fc from 'fast-check';
import { parseLossless, stringifyLossless, textOf } from './lossless';

it('keeps the digits of numbers that JavaScript would change', () => {
  const value = parseLossless('{"big":9007199254740993,"cents":0.10,"plain":42}') as Record<string, unknown>;
  expect([textOf(value['big']), textOf(value['cents']), value['plain']]).toEqual([
    '9007199254740993',
    '0.10',
    42,
  ]);
  expect(stringifyLossless(value)).toBe('{"big":9007199254740993,"cents":0.10,"plain":42}');
});

it('reads everything else as JSON does', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      fc.pre(!text.includes('__proto__'));
      expect(JSON.parse(stringifyLossless(parseLossless(text)))).toEqual(JSON.parse(text));
    }),
  );
});

it('keeps the text of every number, however it is written', () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/);
  fc.assert(
    fc.property(fc.array(digits, { minLength: 1 }), fc.boolean(), (numbers, isNested) => {
      const list = `[${numbers.join(',')}]`;
      const text = isNested ? `{"a":{"b":${list}}}` : list;
      expect(stringifyLossless(parseLossless(text))).toBe(text);
    }),
    { numRuns: 500 },
  );
});
