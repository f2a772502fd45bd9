import fc from 'fast-check';
import type { GraphNodeView } from '../../platform/client';
import { drawingOf, type Folding } from './graph-folding';
import { moduleOrder } from './module-tree';

const node = (id: number, address: string, module: string | null): GraphNodeView => ({
  id,
  address,
  type: 't',
  module,
  state_id: 's',
  state_name: 'state',
  distance: id,
  direction: 'both',
});

const NODES = [
  node(0, 't.a', null),
  node(1, 'module.m.t.b', 'module.m'),
  node(2, 'module.m.t.c', 'module.m'),
];
const EDGES = [
  { from: 1, to: 0 },
  { from: 2, to: 0 },
  { from: 2, to: 1 },
];

const NOTHING: Folding = { isFolded: false, opened: [] };
const MODULES: Folding = { isFolded: true, opened: [] };

it('draws every instance when nothing is folded', () => {
  const { nodes, edges } = drawingOf(NODES, EDGES, NOTHING);
  expect([nodes.length, edges.length]).toEqual([3, 3]);
});

it('folds a module into one node that counts its instances, without edges to itself', () => {
  const { nodes, edges } = drawingOf(NODES, EDGES, MODULES);
  expect(nodes.map(({ label, size, distance }) => [label, size, distance])).toEqual([
    ['t.a', 1, 0],
    ['module.m', 2, 1],
  ]);
  expect(edges).toEqual([{ from: 's module.m', to: '0' }]);
});

it('opens a single module again', () => {
  const { nodes, edges } = drawingOf(NODES, EDGES, { isFolded: true, opened: ['s module.m'] });
  expect([nodes.length, edges.length]).toEqual([3, 3]);
});

it('counts every instance once, and joins what it draws only', () => {
  const modules = fc.constantFrom(null, 'module.a', 'module.b', 'module.a.module.c');
  const graphs = fc.array(modules, { minLength: 1, maxLength: 30 }).chain((names) => {
    const end = fc.nat(names.length - 1);
    return fc.record({
      nodes: fc.constant(names.map((module, id) => node(id, `t.n${id}`, module))),
      edges: fc.array(fc.record({ from: end, to: end }), { maxLength: 60 }),
      isFolded: fc.boolean(),
      opened: fc.subarray(['s module.a', 's module.b', 's module.a.module.c', 's module.gone']),
    });
  });
  fc.assert(
    fc.property(graphs, ({ nodes, edges, isFolded, opened }) => {
      const drawing = drawingOf(nodes, edges, { isFolded, opened });
      const keys = new Set(drawing.nodes.map(({ key }) => key));
      expect(keys.size).toBe(drawing.nodes.length);
      expect(drawing.nodes.reduce((sum, { size }) => sum + size, 0)).toBe(nodes.length);
      const joins = drawing.edges.map(({ from, to }) => `${from}\n${to}`);
      expect(new Set(joins).size).toBe(joins.length);
      for (const { from, to } of drawing.edges)
        expect([from !== to, keys.has(from), keys.has(to)]).toEqual([true, true, true]);
      const inside = drawing.nodes.filter(({ instance }) => instance === undefined);
      expect(inside.every(({ key }) => isFolded && !opened.includes(key))).toBe(true);
    }),
  );
});

it('puts children below their parent, and numbers in order', () => {
  const names = ['module.a["x.y"].module.c', 'module.a[10]', 'root', 'module.a[2]', 'module.a["x.y"]'];
  expect(
    moduleOrder(names.map((name) => ({ name })))
      .map(({ name }) => name)
      .filter((name) => /\d|root/.test(name)),
  ).toEqual(['root', 'module.a[2]', 'module.a[10]']);
});
