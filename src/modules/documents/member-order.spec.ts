import * as fc from 'fast-check';
import { JsonScanner } from './json-scanner.js';
import { inMemberOrder, isInOrder } from './member-order.js';

const FIRST = ['index_key', 'attributes'];

/** Values with few names, so that objects have members in common. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(1, 'a', null, true, '"'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'a!', 'a"', 'é', '\u{1f600}', '\uffee'), tie('value')),
  ),
}));
const instance = fc.record({ other: value, attributes: value, index_key: value }, { requiredKeys: [] });

/** The same value with the members of every object in another order. */
function shuffled(of: unknown, turn: number): unknown {
  if (Array.isArray(of)) return of.map((item) => shuffled(item, turn));
  if (typeof of !== 'object' || of === null) return of;
  const entries = Object.entries(of).map(([name, item]) => [name, shuffled(item, turn)] as const);
  const cut = turn % (entries.length + 1);
  return Object.fromEntries([...entries.slice(cut), ...entries.slice(0, cut)].toReversed());
}

describe('The order of members', () => {
  it('is the same for a value in whatever order it came, and the value stays the same', () => {
    fc.assert(
      fc.property(instance, fc.nat(7), (object, turn) => {
        const ordered = inMemberOrder(JSON.stringify(object), FIRST);
        expect(inMemberOrder(JSON.stringify(shuffled(object, turn)), FIRST)).toBe(ordered);
        expect(JSON.parse(ordered)).toEqual(JSON.parse(JSON.stringify(object)));
        expect(inMemberOrder(ordered, FIRST)).toBe(ordered);
      }),
    );
  });

  it('is the one that the scanner lets pass', () => {
    fc.assert(
      fc.property(value, (inner) => {
        const text = JSON.stringify({ attributes: inner });
        const scanner = new JsonScanner(Buffer.from(JSON.stringify(inner)));
        scanner.value();
        expect(scanner.unordered).toBe(inMemberOrder(text, FIRST) !== text);
      }),
    );
  });

  it('keeps tokens as they are written', () => {
    expect(
      inMemberOrder('{"b":1.50,"\\u0061":12345678901234567890,"attributes":{"z":"\\u003c","y":1e3}}', FIRST),
    ).toBe('{"attributes":{"y":1e3,"z":"\\u003c"},"\\u0061":12345678901234567890,"b":1.50}');
  });

  it('the members of the outermost object have the order of the format', () => {
    expect(isInOrder(['index_key', 'attributes'], FIRST)).toBe(true);
    expect(isInOrder(['attributes', 'index_key'], FIRST)).toBe(false);
    expect(isInOrder(['attributes', 'unknown'], FIRST)).toBe(false);
  });
});
