import * as fc from 'fast-check';
import { hidden, MASK, withoutPaths } from './masked-paths.js';
import { isArray, isObject, parseRaw, printRaw, type RawJson } from './raw-json.js';

type Step = string | number | undefined;

/** What is meant: one path after the other, each over the whole value. */
function maskedOneByOne(value: RawJson, path: readonly Step[]): RawJson {
  const [step, ...rest] = path;
  if (path.length === 0) return hidden(value);
  if (isObject(value) && step !== undefined)
    return {
      entries: value.entries.map(([key, item]) => [
        key,
        key === String(step) ? maskedOneByOne(item, rest) : item,
      ]),
    };
  if (isArray(value) && typeof step === 'number')
    return { items: value.items.map((item, index) => (index === step ? maskedOneByOne(item, rest) : item)) };
  return hidden(value);
}

const steps = fc.oneof(
  fc.constantFrom<Step>('a', 'b', '0', '1', undefined),
  fc.constantFrom<Step>(0, 1, 2, 0.5, -1),
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(null, 1, 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', '1'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('Masking by paths', () => {
  it('hides in one walk what following the paths one by one hides', () => {
    fc.assert(
      fc.property(values, fc.array(fc.array(steps, { maxLength: 5 }), { maxLength: 6 }), (value, paths) => {
        const raw = parseRaw(JSON.stringify(value));
        const expected = paths.reduce<RawJson>((tree, path) => maskedOneByOne(tree, path), raw);
        expect(printRaw(withoutPaths(raw, paths))).toBe(printRaw(expected));
      }),
      { numRuns: 2000 },
    );
  });

  it('looks at each member once, however many paths there are', () => {
    const looksAt = (members: number): number => {
      let looks = 0;
      const entries = Array.from({ length: members }, (_, index): [string, RawJson] => [`m${index}`, '1']);
      const watched = new Proxy(entries, {
        get: (target, name) => {
          if (typeof name === 'string' && /^\d+$/.test(name)) looks++;
          return Reflect.get(target, name) as unknown;
        },
      });
      const shown = withoutPaths(
        { entries: watched },
        entries.map(([name]) => [name]),
      );
      expect(isObject(shown) && shown.entries.every(([, value]) => value === MASK)).toBe(true);
      return looks;
    };
    expect(looksAt(4000)).toBe(4000);
  });

  it('hides both of a number and a name of one text, at any depth', () => {
    const deep = parseRaw('{"0":{"0":{"0":{"0":[1,[2]]}}}}');
    expect(printRaw(withoutPaths(deep, [['0', 0, '0', 0, 1, 0]]))).toBe(
      `{"0":{"0":{"0":{"0":[1,[${MASK}]]}}}}`,
    );
  });
});
