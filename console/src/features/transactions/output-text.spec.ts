/** @jest-environment @happy-dom/jest-environment */
import fc from 'fast-check';
import { outputText } from './output-text';

/** As the service stores it: the bytes of a JSON value, cut anywhere. */
function fragmentsOf(value: unknown, size: number): { idx: number; data: string }[] {
  const bytes = Buffer.from(JSON.stringify(value));
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, idx) => ({
    idx,
    data: bytes.subarray(idx * size, (idx + 1) * size).toString('base64'),
  }));
}

it('reads any text, however it is cut, in any order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, size) => {
      expect(outputText(fragmentsOf(text, size).reverse())).toBe(text);
    }),
  );
});

it('prints an object with every digit', () => {
  const data = Buffer.from('{"error":{"code":9007199254740993}}').toString('base64');
  expect(outputText([{ idx: 0, data }])).toBe('{\n  "error": {\n    "code": 9007199254740993\n  }\n}');
});

it('shows what is not JSON as it is, and nothing for nothing', () => {
  expect(outputText([{ idx: 0, data: btoa('"cut') }])).toBe('"cut');
  expect(outputText([])).toBe('');
});
