import fc from 'fast-check';
import { KeptOutput } from './kept-output.js';

const printed = fc.array(
  fc.record({
    from: fc.constantFrom('stdout' as const, 'stderr' as const),
    text: fc.string({ unit: 'grapheme', maxLength: 30 }),
  }),
  { maxLength: 30 },
);

describe('Output that is kept', () => {
  it('is the beginning of each stream, and of both as they came', () => {
    fc.assert(
      fc.property(printed, fc.integer({ min: 1, max: 300 }), (pieces, bound) => {
        const kept = new KeptOutput(bound);
        const expected = { stdout: '', stderr: '', both: '' };
        for (const { from, text } of pieces) {
          kept.add(from, text);
          if (expected[from].length < bound) expected[from] += text;
          if (expected.both.length < bound) expected.both += text;
        }
        expect({ stdout: kept.of('stdout'), stderr: kept.of('stderr'), both: kept.both }).toEqual(expected);
        expect([...kept.pieces()].join('')).toBe(expected.both);
      }),
    );
  });

  it('comes in pieces that split no character', () => {
    const kept = new KeptOutput(1_000_000);
    const text = `x${'\u{1f600}é'.repeat(100_000)}`;
    kept.add('stdout', text);
    kept.add('stderr', 'end');
    const pieces = [...kept.pieces()];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    expect(pieces.every((piece) => Buffer.from(piece).toString() === piece)).toBe(true);
    expect(pieces.join('')).toBe(`${text}end`);
  });
});
