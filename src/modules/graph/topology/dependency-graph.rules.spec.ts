import * as fc from 'fast-check';
import { expectedGraph, metaOf, someInstances } from '../../../../test/support/graph-oracle.js';
import type { InstanceMeta } from '../../documents/index.js';
import { buildGraph, type DependencyGraph } from './dependency-graph.rules.js';
import { inventoryOf, statisticsOf } from '../projection/graph-statistics.rules.js';
import { GraphTopology } from './graph-topology.js';
import { InstanceCatalog } from './instance-catalog.js';

function graphOf(instances: readonly InstanceMeta[]): DependencyGraph {
  const catalog = new InstanceCatalog();
  for (const instance of instances) catalog.add(instance);
  return buildGraph(catalog);
}

function edgesOf({ nodes, topology }: DependencyGraph): string[] {
  const edges: string[] = [];
  for (let node = 0; node < nodes.size; node++)
    for (const { from, to } of topology.dependenciesOf(node))
      for (let other = from; other < to; other++) edges.push(`${nodes.rows[node]} ${nodes.rows[other]}`);
  return edges;
}

function readable(graph: DependencyGraph): string[] {
  const lines: string[] = [];
  for (let node = 0; node < graph.nodes.size; node++)
    for (const { from, to } of graph.topology.dependenciesOf(node))
      for (let other = from; other < to; other++)
        lines.push(`${graph.nodes.addressOf(node)} -> ${graph.nodes.addressOf(other)}`);
  return lines;
}

describe('the dependency graph', () => {
  it('is what comparing every instance with every other finds', () => {
    fc.assert(
      fc.property(someInstances, (instances) => {
        const graph = graphOf(instances);
        const edges = edgesOf(graph);
        expect(new Set(edges)).toEqual(expectedGraph(instances).edges);
        expect(edges.length).toBe(new Set(edges).size);
      }),
      { numRuns: 200 },
    );
  });

  it('is the same after it was stored and read', () => {
    fc.assert(
      fc.property(someInstances, (instances) => {
        const { nodes, topology } = graphOf(instances);
        const again = GraphTopology.decode(topology.encode());
        expect(edgesOf({ nodes, topology: again })).toEqual(edgesOf({ nodes, topology }));
      }),
    );
  });

  it('counts edges, roots, leaves, orphans and the hotspot as a pair by pair count does', () => {
    fc.assert(
      fc.property(someInstances, (instances) => {
        const graph = graphOf(instances);
        const counted = statisticsOf(graph, inventoryOf(graph.nodes));
        const { edges, dependencies, dependents } = expectedGraph(instances);
        const uses = dependencies.map((list) => list.length);
        const used = dependents.map((list) => list.length);
        const count = (test: (i: number) => boolean) => instances.filter((_, i) => test(i)).length;
        expect(counted).toMatchObject({
          instances: instances.length,
          resources: new Set(instances.map((each) => each.resourceAddress)).size,
          modules: new Set(instances.map((each) => each.module)).size,
          edges: edges.size,
          roots: count((i) => used[i] !== 0 && uses[i] === 0),
          leaves: count((i) => used[i] === 0 && uses[i] !== 0),
          orphans: count((i) => used[i] === 0 && uses[i] === 0),
        });
        expect(counted.hotspot?.refs ?? 0).toBe(Math.max(0, ...used));
      }),
    );
  });

  it('leaves out what another dependency implies', () => {
    const graph = graphOf([
      metaOf({ name: 'a' }),
      metaOf({ name: 'b', dependencies: ['test_thing.a'] }),
      metaOf({ name: 'c', dependencies: ['test_thing.a', 'test_thing.b'] }),
    ]);
    expect(readable(graph)).toEqual(['test_thing.b -> test_thing.a', 'test_thing.c -> test_thing.b']);
  });

  it('joins instances with the same keys along the module path both share', () => {
    const cell = (key: string) => [
      metaOf({ module: `module.env["${key}"].module.net`, name: 'vpc' }),
      metaOf({
        module: `module.env["${key}"].module.app`,
        name: 'node',
        indexKey: 0,
        dependencies: ['module.env.module.net.test_thing.vpc'],
      }),
    ];
    expect(readable(graphOf([...cell('a'), ...cell('b')]))).toEqual([
      'module.env["a"].module.app.test_thing.node[0] -> module.env["a"].module.net.test_thing.vpc',
      'module.env["b"].module.app.test_thing.node[0] -> module.env["b"].module.net.test_thing.vpc',
    ]);
  });

  it('lets a deposed object keep its own dependencies, and nothing depend on it', () => {
    const graph = graphOf([
      metaOf({ name: 'a' }),
      metaOf({ name: 'b', dependencies: [] }),
      metaOf({ name: 'b', deposed: '0000000a', dependencies: ['test_thing.a'] }),
      metaOf({ name: 'c', dependencies: ['test_thing.b'] }),
    ]);
    expect(readable(graph).sort()).toEqual(['test_thing.b -> test_thing.a', 'test_thing.c -> test_thing.b']);
    expect(graph.topology.degrees().edges).toBe(2);
  });

  it('stays small when count is 50,000 on both sides', () => {
    const many = (name: string, dependencies: string[]) =>
      Array.from({ length: 50_000 }, (_, indexKey) => metaOf({ name, indexKey, dependencies }));
    const { topology } = graphOf([...many('a', []), ...many('b', ['test_thing.a'])]);
    expect([topology.entrances, topology.degrees().edges, topology.encode().length < 1000]).toEqual([
      1,
      2_500_000_000,
      true,
    ]);
  });

  it('does not hang on thousands of resources that name a whole module', () => {
    const dependencies = ['module.big'];
    const instances = Array.from({ length: 1200 }, (_, i) =>
      metaOf({ module: 'module.big', name: `r${i}`, dependencies }),
    );
    expect(graphOf(instances).nodes.size).toBe(1200);
  });
});
