import type { GraphNodeView } from '../../platform/client';
import { drawingOf } from './graph-folding';
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

it('draws every instance when nothing is folded', () => {
  const { nodes, edges } = drawingOf(NODES, EDGES, false);
  expect([nodes.length, edges.length]).toEqual([3, 3]);
});

it('folds a module into one node that counts its instances, without edges to itself', () => {
  const { nodes, edges } = drawingOf(NODES, EDGES, true);
  expect(nodes.map(({ label, size, distance }) => [label, size, distance])).toEqual([
    ['t.a', 1, 0],
    ['module.m', 2, 1],
  ]);
  expect(edges).toEqual([{ from: 's module.m', to: '0' }]);
});

it('puts children below their parent, and numbers in order', () => {
  const names = ['module.a["x.y"].module.c', 'module.a[10]', 'root', 'module.a[2]', 'module.a["x.y"]'];
  expect(
    moduleOrder(names.map((name) => ({ name })))
      .map(({ name }) => name)
      .filter((name) => /\d|root/.test(name)),
  ).toEqual(['root', 'module.a[2]', 'module.a[10]']);
});
