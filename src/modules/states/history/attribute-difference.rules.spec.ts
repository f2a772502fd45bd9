import * as fc from 'fast-check';
import { minifiedJson, parseRaw } from '../../documents/index.js';
import { attributeChanges } from './attribute-difference.rules.js';

function tree(value: unknown): ReturnType<typeof parseRaw> {
  return parseRaw(minifiedJson(JSON.stringify(value)));
}

const values = fc.jsonValue({ maxDepth: 3 });

describe('Where attributes differ', () => {
  it('is nowhere between equal values', () => {
    fc.assert(
      fc.property(values, (value) =>
        expect(attributeChanges(tree({ value }), tree({ value }), [])).toEqual([]),
      ),
    );
  });

  it('is somewhere between different values, the same places both ways', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const there = attributeChanges(tree({ a }), tree({ a: b }), []);
        const back = attributeChanges(tree({ a: b }), tree({ a }), []);
        expect(there.length > 0).toBe(
          JSON.stringify(a) !== JSON.stringify(b) && JSON.stringify(sorted(a)) !== JSON.stringify(sorted(b)),
        );
        expect(
          back.map(({ path, before, after }) => ({ path, before: after, after: before })).sort(byPath),
        ).toEqual(there.map(({ path, before, after }) => ({ path, before, after })).sort(byPath));
      }),
    );
  });

  it('names paths as Terraform writes them, down to the leaves', () => {
    const before = tree({
      tags: { Name: 'a', Old: 'x' },
      ingress: [{ from_port: 80 }, { from_port: 81 }],
      same: 1,
    });
    const after = tree({
      tags: { Name: 'b', New: 'y' },
      ingress: [{ from_port: 80 }, { from_port: 443 }],
      same: 1,
    });
    expect(attributeChanges(before, after, [])).toEqual([
      { path: 'tags.Name', before: 'a', after: 'b' },
      { path: 'tags.Old', before: 'x' },
      { path: 'tags.New', after: 'y' },
      { path: 'ingress[1].from_port', before: 81, after: 443 },
    ]);
  });

  it('shows that a sensitive value changed and not the value, above, at and below its path', () => {
    const secrets = [['login', 'password']];
    expect(
      attributeChanges(tree({ login: { password: 'p1' } }), tree({ login: { password: 'p2' } }), secrets),
    ).toEqual([{ path: 'login.password', sensitive: true }]);
    expect(attributeChanges(tree({ login: null }), tree({ login: { password: 'p2' } }), secrets)).toEqual([
      { path: 'login', sensitive: true },
    ]);
    expect(
      attributeChanges(tree({ login: { password: ['p1'] } }), tree({ login: { password: ['p2'] } }), secrets),
    ).toEqual([{ path: 'login.password[0]', sensitive: true }]);
    expect(attributeChanges(undefined, tree({ login: { password: 'p2' } }), secrets)).toEqual([
      { path: '', sensitive: true },
    ]);
  });

  it('never shows a value under a sensitive path', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 0, 1), { minLength: 1, maxLength: 4 }),
        values,
        fc.nat(),
        (steps, other, cut) => {
          const place = (leaf: unknown): unknown =>
            ['top', ...steps].reduceRight<unknown>(
              (inner, step) =>
                typeof step === 'number'
                  ? [...Array<null>(step).fill(null), inner]
                  : { [step]: inner, side: 1 },
              leaf,
            );
          const path = ['top', ...steps].slice(0, 1 + (cut % (steps.length + 1)));
          for (const [before, after] of [
            [place('s3cr3t-1'), place('s3cr3t-2')],
            [place('s3cr3t-1'), { top: other }],
            [{ top: other }, place('s3cr3t-2')],
          ]) {
            expect(JSON.stringify(attributeChanges(tree(before), tree(after), [path]))).not.toContain(
              's3cr3t',
            );
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('sees a change that only exact numbers show', () => {
    const changes = attributeChanges(
      parseRaw('{"n":9007199254740993}'),
      parseRaw('{"n":9007199254740992}'),
      [],
    );
    expect(changes.map((change) => change.path)).toEqual(['n']);
  });
});

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
