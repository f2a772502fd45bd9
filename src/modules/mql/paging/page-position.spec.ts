import fc from 'fast-check';
import { openPosition, type PagePosition, sealPosition } from './page-position.js';

const secret = Buffer.alloc(32, 7);

describe('A page token', () => {
  const position = fc.oneof(
    fc.record({ at: fc.nat() }),
    fc.record({ at: fc.nat(), skip: fc.nat(), keys: fc.array(fc.option(fc.string()), { maxLength: 3 }) }),
  );

  it('comes back as it was, for its own query only', () => {
    fc.assert(
      fc.property(position, fc.string(), fc.string(), (given: PagePosition, query, other) => {
        const token = sealPosition(given, query, secret);
        expect(openPosition(token, query, secret)).toEqual(given);
        if (other !== query) expect(() => openPosition(token, other, secret)).toThrow();
        expect(() => openPosition(token, query, Buffer.alloc(32, 8))).toThrow();
      }),
    );
  });

  it('a page token that was changed is refused', () => {
    fc.assert(
      fc.property(position, fc.nat(), fc.integer({ min: 1, max: 255 }), (given: PagePosition, at, flip) => {
        const bytes = Buffer.from(sealPosition(given, 'q', secret), 'base64url');
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ flip;
        expect(() => openPosition(bytes.toString('base64url'), 'q', secret)).toThrow();
      }),
    );
  });
});
