import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.js';
import { objectText, piecesOf } from './results.js';

describe('a report in pieces', () => {
  it('is whole again when they are put together, no character cut in two', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 2, max: 5 }), (text, length) => {
        const pieces = piecesOf(text, length);
        expect(pieces.join('')).toBe(text);
        expect(
          pieces.every((piece) => piece.length <= length && !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(piece)),
        ).toBe(true);
      }),
    );
  });

  it('holds documents as they were written', () => {
    expect(objectText({ kind: '"commit"', state: '{"n": 12345678901234567890}' })).toBe(
      '{"kind":"commit","state":{"n": 12345678901234567890}}',
    );
  });
});
