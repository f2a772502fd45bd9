import fc from 'fast-check';
import { ownPath, parseSearch, stringifySearch } from './search-text';

it('reads what it has written', () => {
  const value = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), value), (view) => {
      expect({ ...parseSearch(stringifySearch(view)) }).toEqual({ ...view });
    }),
  );
});

it('leaves out what is empty, and repeats lists', () => {
  expect(stringifySearch({ a: '', b: undefined, state: ['open', 'failed'] })).toBe(
    '?state=open&state=failed',
  );
});

const ORIGIN = 'https://infra.example';

it.each([
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/.//evil.example',
  '',
  'x',
])('goes to the front page instead of %s', (rd) => expect(ownPath(rd, ORIGIN)).toBe('/'));

it('keeps a path of this origin', () => {
  expect(ownPath('/tenants/x/states?search=a%20b', ORIGIN)).toBe('/tenants/x/states?search=a%20b');
});

it('never leads to another origin', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('/', '\\', '//', '..', '@', ':', 'evil.example', '\t', '%2f'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(new URL(ownPath(pieces.join(''), ORIGIN), ORIGIN).origin).toBe(ORIGIN);
    }),
  );
});
