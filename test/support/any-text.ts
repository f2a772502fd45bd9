import * as fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST_CODE_POINT = 0x10ffff;

/**
 * One code point of Unicode, surrogates excepted. fast-check's own `unit: 'binary'` and `'grapheme'` first make a table
 * of a million of them, a third of a second in every suite that asks.
 */
const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCodePoint(code)),
  fc.integer({ min: 0x80, max: 0x7ff }).map((code) => String.fromCodePoint(code)),
  fc
    .integer({ min: 0, max: LAST_CODE_POINT - SURROGATES.count })
    .map((code) => String.fromCodePoint(code < SURROGATES.first ? code : code + SURROGATES.count)),
  // What is one character to a reader and several code points to a program.
  fc.constantFrom('é', 'e\u0301', '日', '😀', '👩‍🚀', '🇩🇪', 'नि', '\u200d', '\ufeff', '\u2028'),
);

/** Names every object has. */
const NAMES_OF_OBJECTS = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'length'];

/** Any well-formed text, and now and then a name to which JavaScript gives a meaning, which keeps to no limit. */
export function anyText(limits: { maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 15, arbitrary: fc.array(codePoint, limits).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.constantFrom(...NAMES_OF_OBJECTS) },
  );
}
