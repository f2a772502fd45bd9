import fc from 'fast-check';
import { decodePosition, keysetPage, listLimit } from './keyset-page.js';

const options = (position: ReturnType<typeof decodePosition>) => ({
  list: 'numbers',
  position,
  keysOf: (row: number) => [row],
});

/** As the database would: rows after the position, in its direction, one more than the limit. */
function readPage(all: readonly number[], token: string | undefined, limit: number) {
  const position = decodePosition(token, 'numbers', ['integer']);
  const key = Number(position?.keys[0]);
  const found = !position
    ? all
    : position.direction === 'next'
      ? all.filter((row) => row > key)
      : all.filter((row) => row < key).toReversed();
  return keysetPage(found.slice(0, limit + 1), limit, options(position));
}

describe('Pages of a list', () => {
  it('show every row once, forwards and backwards', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(1000), { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (rows, limit) => {
          const all = rows.toSorted((a, b) => a - b);
          const forwards: number[] = [];
          let last: ReturnType<typeof readPage> | undefined;
          for (let token: string | undefined; last === undefined || token !== undefined;) {
            last = readPage(all, token, limit);
            forwards.push(...last.rows);
            token = last.next;
            if (token === undefined) break;
          }
          expect(forwards).toEqual(all);
          const backwards = [...(last?.rows ?? [])];
          for (let token = last?.prev; token !== undefined;) {
            const page = readPage(all, token, limit);
            backwards.unshift(...page.rows);
            token = page.prev;
          }
          expect(backwards).toEqual(all);
        },
      ),
    );
  });

  it('refuse a token of another list, and what is none', () => {
    const token = readPage([1, 2, 3], undefined, 1).next;
    expect(() => decodePosition(token, 'others', ['integer'])).toThrow();
    expect(() => decodePosition(token, 'numbers', ['text'])).toThrow();
    for (const odd of [
      '',
      'x',
      Buffer.from('["numbers","up",1]').toString('base64url'),
      Buffer.from('["numbers","next",1e99]').toString('base64url'),
    ])
      expect(() => decodePosition(odd, 'numbers', ['integer'])).toThrow();
  });

  it('have a limit of 20, and of 100 at most', () => {
    expect([undefined, '1', '100', '101'].map(listLimit)).toEqual([20, 1, 100, 100]);
    for (const odd of ['0', '-1', '1.5', '', 'x']) expect(() => listLimit(odd)).toThrow();
  });
});
