import fc from 'fast-check';
import { moduleDepth, moduleOrder, modulePath, moduleRows } from './module-tree';

const keys = fc.constantFrom('', '[0]', '[10]', '["a"]', '["x.y"]', '["module.z"]', '["q\\"]"]');
const parts = fc
  .tuple(fc.constantFrom('net', 'app', 'db'), keys)
  .map(([name, key]) => `module.${name}${key}`);
const names = fc.array(parts, { minLength: 1, maxLength: 4 }).map((path) => path.join('.'));

it('cuts an address where its modules end, not inside of a key', () => {
  fc.assert(
    fc.property(fc.array(parts, { minLength: 1, maxLength: 4 }), (path) => {
      expect(modulePath(path.join('.'))).toEqual(path);
    }),
  );
  expect([modulePath('root'), moduleDepth('root')]).toEqual([[], 0]);
});

it('puts every module behind its parent, with nothing of others between', () => {
  fc.assert(
    fc.property(fc.uniqueArray(names, { maxLength: 12 }), (all) => {
      const ordered = moduleOrder(all.map((name) => ({ name }))).map(({ name }) => name);
      expect(ordered.toSorted()).toEqual(all.toSorted());
      for (const [index, name] of ordered.entries()) {
        const below = ordered.filter((other) => other.startsWith(`${name}.`));
        expect(ordered.slice(index + 1, index + 1 + below.length)).toEqual(below);
      }
    }),
  );
});

it('hides exactly what lies below a folded module', () => {
  fc.assert(
    fc.property(fc.uniqueArray(names, { maxLength: 12 }), fc.func(fc.boolean()), (all, isFolded) => {
      const folded = new Set(all.filter((name) => isFolded(name)));
      const rows = moduleRows(
        all.map((name) => ({ name })),
        folded,
      );
      const isHidden = (name: string) => [...folded].some((parent) => name.startsWith(`${parent}.`));
      expect(rows.map(({ module }) => module.name).toSorted()).toEqual(
        all.filter((name) => !isHidden(name)).toSorted(),
      );
      for (const { module, hasChildren } of rows)
        expect(hasChildren).toBe(all.some((name) => name.startsWith(`${module.name}.`)));
    }),
  );
});
