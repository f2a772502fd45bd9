import fc from 'fast-check';
import { placeOf } from './error-position';

it('finds line and column of a position in characters', () => {
  expect(placeOf('column "x" does not exist (at position 11)', "SELECT '😀',\n x")).toEqual({
    offset: 11,
    line: 1,
    column: 11,
  });
  expect(placeOf('no (at position 15)', "SELECT '😀',\n  x")).toEqual({ offset: 15, line: 2, column: 3 });
});

it('knows nothing without a position, or with one outside of the query', () => {
  expect([placeOf('wrong', 'x'), placeOf('wrong (at position 9)', 'x')]).toEqual([undefined, undefined]);
});

it('points at the character it was given', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '\n', '😀', ' '), { minLength: 1 }),
      fc.nat(),
      (characters, at) => {
        const index = at % characters.length;
        const query = characters.join('');
        const place = placeOf(`e (at position ${index + 1})`, query);
        expect(query.slice(place?.offset).startsWith(characters[index] ?? '')).toBe(true);
        expect(
          Array.from(query.split('\n')[(place?.line ?? 0) - 1] ?? '')[(place?.column ?? 0) - 1] ?? '\n',
        ).toBe(characters[index]);
      },
    ),
  );
});
