import * as fc from 'fast-check';
import { jsonTrees, LAYOUTS, printDocument, Tree } from '../../../test/support/document-generator.js';
import { JsonScanner, minifiedJson, NotJson } from './json-scanner.js';

function accepts(text: string): boolean {
  const scanner = new JsonScanner(Buffer.from(text));
  try {
    scanner.value();
    return scanner.peek() === -1;
  } catch (error) {
    if (error instanceof NotJson) return false;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function jsonOf(tree: Tree): string {
  if ('token' in tree) return tree.token;
  if ('items' in tree) return `[${tree.items.map(jsonOf).join(' , ')}]`;
  return `{${tree.members.map(([key, value]) => `${key} :\t${jsonOf(value)}`).join(',\n')}}`;
}

const texts = fc.oneof(
  jsonTrees.map(jsonOf),
  fc.json(),
  fc
    .constantFrom(...LAYOUTS)
    .map((layout) =>
      printDocument({ serial: 1, lineage: 'l', outputs: { members: [] }, resources: [] }, layout).toString(),
    ),
);

const NASTY = [
  ...'{}[],:"\\/0123456789-+.eEtrufalsn \n\t\r\v\f\u0000\u001f\u007f\u00a0\u2028\ufeff',
  '\\u',
  '\\x',
  '00',
  '.5',
  '1.',
  'tru',
  'NaN',
  "'",
  '//',
  '\\ud800',
];

const mutations = fc
  .tuple(
    texts,
    fc.array(
      fc.record({
        at: fc.nat(),
        remove: fc.integer({ min: 0, max: 2 }),
        insert: fc.oneof(fc.constant(''), fc.constantFrom(...NASTY)),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((current, { at, remove, insert }) => {
      const position = at % (current.length + 1);
      return current.slice(0, position) + insert + current.slice(position + remove);
    }, text),
  );

describe('JsonScanner', () => {
  it('accepts what JSON.parse accepts', () => {
    fc.assert(
      fc.property(texts, (text) => expect(accepts(text)).toBe(parses(text))),
      { numRuns: 500 },
    );
  });

  it('accepts a mutated text exactly when JSON.parse does', () => {
    fc.assert(
      fc.property(mutations, (text) => {
        // Half a surrogate pair does not survive UTF-8: both must see the same text.
        const wellFormed = Buffer.from(text).toString();
        expect(accepts(wellFormed)).toBe(parses(wellFormed));
      }),
      { numRuns: 5000 },
    );
  });

  it('takes white space away and nothing else', () => {
    fc.assert(
      fc.property(jsonTrees, (tree) => {
        const minified = minifiedJson(jsonOf(tree));
        const expected = (part: Tree): string => {
          if ('token' in part) return part.token;
          if ('items' in part) return `[${part.items.map(expected).join(',')}]`;
          return `{${part.members.map(([key, value]) => `${key}:${expected(value)}`).join(',')}}`;
        };
        expect(minified).toBe(Buffer.from(expected(tree)).toString());
      }),
    );
  });

  it('stops at the end it was given, not at the end of the buffer', () => {
    fc.assert(
      fc.property(jsonTrees, fc.constantFrom('1', '.5', 'e9', '"', ']', '}', ' '), (tree, after) => {
        const text = jsonOf(tree);
        const source = Buffer.from(text + after);
        const scanner = new JsonScanner(source, 0, Buffer.byteLength(text));
        scanner.value();
        expect(scanner.peek()).toBe(-1);
        expect(scanner.pos).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('calls odd what PostgreSQL would refuse', () => {
    const isOdd = (text: string): boolean => {
      const scanner = new JsonScanner(Buffer.from(text));
      scanner.value();
      return scanner.odd;
    };
    expect(
      ['"\\u0000"', '"\\ud800"', '"\\uDC00"', '1e400000', `[${'['.repeat(150)}${']'.repeat(150)}]`].map(
        isOdd,
      ),
    ).toEqual([true, true, true, true, true]);
    expect(['"\\u0001"', '"\\u0041"', '1e30', '[[[]]]', '12345678901234567890'].map(isOdd)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
