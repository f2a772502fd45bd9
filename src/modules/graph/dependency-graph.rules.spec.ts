import * as fc from 'fast-check';
import { type InstanceMeta, instanceAddress, keyOf, resourceAddress } from '../documents/index.js';
import { blastRadius } from './blast-radius.rules.js';
import { buildGraph, type DependencyGraph } from './dependency-graph.rules.js';
import { decodeNodes, encodeGraph, RangePairs } from './graph.codec.js';
import { inventoryOf, statisticsOf } from './graph-statistics.rules.js';

/** A configuration: resources in a module path, with what they depend on by position. */
interface Config {
  module: readonly string[];
  keys: (string | number | undefined)[];
  dependsOn: number[];
  isDeposed: boolean;
}

const config = fc.record({
  module: fc.constantFrom([], ['a'], ['b'], ['a', 'c']),
  keys: fc.constantFrom<(string | number | undefined)[]>([undefined], [0, 1, 2], ['x', 'y.z'], [0, 'x']),
  dependsOn: fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 4 }),
  isDeposed: fc.boolean(),
});
const estates = fc.array(config, { minLength: 1, maxLength: 10 });
const MODULE_KEYS = ['k', 'l'];

function configName(list: readonly Config[], index: number): string {
  const module = list[index]?.module.map((name) => `module.${name}`).join('.') ?? '';
  return module ? `${module}.t.r${index}` : `t.r${index}`;
}

/** Every configuration reachable from one, without itself, as Terraform writes `dependencies`. */
function closure(list: readonly Config[], from: number): Set<number> {
  const seen = new Set<number>();
  const queue = [...(list[from]?.dependsOn ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next) || next >= list.length) continue;
    seen.add(next);
    queue.push(...(list[next]?.dependsOn ?? []));
  }
  return seen;
}

/** Module `a` has two copies, the others one; so has every instance in it. */
function modulePaths(names: readonly string[]): string[] {
  return names.reduce<string[]>(
    (paths, name) =>
      paths.flatMap((path) =>
        (name === 'a' ? MODULE_KEYS : ['']).map(
          (key) => `${path}${path ? '.' : ''}module.${name}${key ? `["${key}"]` : ''}`,
        ),
      ),
    [''],
  );
}

function instancesOf(list: readonly Config[]): InstanceMeta[] {
  return list.flatMap((one, index) => {
    const names = [...closure(list, index)].map((target) => configName(list, target));
    const dependencies = [...names, 't.dangling', 'module.gone.t.x'].sort();
    return modulePaths(one.module).flatMap((module) =>
      one.keys.flatMap((indexKey) => {
        const resource = resourceAddress(module || undefined, 'managed', 't', `r${index}`);
        const address = instanceAddress(resource, indexKey);
        const live: InstanceMeta = {
          key: keyOf(address),
          address,
          resourceAddress: resource,
          mode: 'managed',
          type: 't',
          name: `r${index}`,
          provider: 'p',
          dependencies,
          ...(module ? { module } : {}),
          ...(indexKey === undefined ? {} : { indexKey }),
        };
        return one.isDeposed ? [live, { ...live, key: keyOf(address, 'd1'), deposed: 'd1' }] : [live];
      }),
    );
  });
}

/** Direct dependencies by definition: of the closure, what no other dependency outside of a shared cycle leads to. */
function naiveEdges(list: readonly Config[], nodes: readonly InstanceMeta[]): Set<string> {
  const reach = list.map((_, index) => closure(list, index));
  const sameCycle = (a: number, b: number) =>
    a === b || (reach[a]?.has(b) === true && reach[b]?.has(a) === true);
  const edges = new Set<string>();
  for (const from of nodes) {
    const a = Number(from.name.slice(1));
    const targets = [...(reach[a] ?? [])].filter((target) => target !== a);
    // Nothing depends on a deposed object, so it is in no cycle.
    const inItsCycle = (other: number) => from.deposed === undefined && sameCycle(other, a);
    const direct = targets.filter(
      (target) =>
        inItsCycle(target) ||
        !targets.some(
          (via) => via !== target && !inItsCycle(via) && !sameCycle(via, target) && reach[via]?.has(target),
        ),
    );
    for (const to of nodes) {
      const b = Number(to.name.slice(1));
      if (to.deposed !== undefined || !direct.includes(b)) continue;
      if (sharedKeysDiffer(list, from, to, a, b)) continue;
      edges.add(`${from.key} ${to.key}`);
    }
  }
  return edges;
}

function sharedKeysDiffer(
  list: readonly Config[],
  from: InstanceMeta,
  to: InstanceMeta,
  a: number,
  b: number,
): boolean {
  const [left, right] = [list[a]?.module ?? [], list[b]?.module ?? []];
  let shared = 0;
  while (shared < left.length && shared < right.length && left[shared] === right[shared]) shared++;
  const prefix = (module: string | undefined) =>
    (module ?? '')
      .split('.')
      .slice(0, shared * 2)
      .join('.');
  return prefix(from.module) !== prefix(to.module);
}

function edgesOf({ nodes, pairs }: DependencyGraph): Set<string> {
  const edges = new Set<string>();
  for (let at = 0; at < pairs.length; at += 4) {
    const [from = 0, to = 0, dependentFrom = 0, dependentTo = 0] = pairs.subarray(at, at + 4);
    for (let target = from; target < to; target++) {
      for (let node = dependentFrom; node < dependentTo; node++) {
        const edge = `${nodes[node]?.key} ${nodes[target]?.key}`;
        expect(edges.has(edge)).toBe(false);
        edges.add(edge);
      }
    }
  }
  return edges;
}

describe('The dependency graph of a state', () => {
  it('has the edges of a naive expansion, each once, with cycles, dangling names, modules and deposed objects', () => {
    fc.assert(
      fc.property(estates, (list) => {
        const graph = buildGraph(instancesOf(list));
        expect([...edgesOf(graph)].sort()).toEqual([...naiveEdges(list, graph.nodes)].sort());
      }),
      { numRuns: 300 },
    );
  });

  it('counts what the naive expansion counts', () => {
    fc.assert(
      fc.property(estates, (list) => {
        const graph = buildGraph(instancesOf(list));
        const edges = [...naiveEdges(list, graph.nodes)].map((edge) => edge.split(' '));
        const uses = new Set(edges.map(([from]) => from));
        const used = new Map<string, number>();
        for (const [, to = ''] of edges) used.set(to, (used.get(to) ?? 0) + 1);
        const count = (test: (key: string) => boolean) => graph.nodes.filter(({ key }) => test(key)).length;
        const statistics = statisticsOf(graph, inventoryOf(graph.nodes));
        expect(statistics).toMatchObject({
          instances: graph.nodes.length,
          edges: edges.length,
          roots: count((key) => used.has(key) && !uses.has(key)),
          leaves: count((key) => !used.has(key) && uses.has(key)),
          orphans: count((key) => !used.has(key) && !uses.has(key)),
        });
        expect(statistics.hotspot?.refs ?? 0).toBe(Math.max(0, ...used.values()));
      }),
      { numRuns: 200 },
    );
  });

  it('is stored and read again as it was', () => {
    fc.assert(
      fc.property(estates, (list) => {
        const graph = buildGraph(instancesOf(list));
        expect(decodeNodes(encodeGraph(graph).nodes)).toEqual(graph.nodes);
      }),
    );
  });

  it('reaches what a naive search reaches, at the same distances, and ends on cycles', () => {
    fc.assert(
      fc.property(estates, fc.nat(), (list, pick) => {
        const graph = buildGraph(instancesOf(list));
        const seed = pick % graph.nodes.length;
        const stored = encodeGraph(graph);
        const hits = blastRadius(
          { stateId: 's', node: seed },
          new Map([['s', graph.nodes.length]]),
          () => new RangePairs(stored.pairs),
          [],
        );
        const found = new Map(hits.map(({ node, distance }) => [graph.nodes[node]?.key, distance]));
        expect(found).toEqual(naiveDistances(naiveEdges(list, graph.nodes), graph.nodes[seed]?.key ?? ''));
        expect(found.size).toBe(hits.length);
      }),
      { numRuns: 200 },
    );
  });

  it('stays linear where a count depends on a count', () => {
    const many = (name: string, dependencies: string[]): InstanceMeta[] =>
      Array.from({ length: 20_000 }, (_, indexKey) => {
        const address = `t.${name}[${indexKey}]`;
        return {
          key: keyOf(address),
          address,
          resourceAddress: `t.${name}`,
          mode: 'managed',
          type: 't',
          name,
          provider: 'p',
          indexKey,
          dependencies,
        };
      });
    const graph = buildGraph([...many('a', []), ...many('b', ['t.a'])]);
    expect(graph.pairs.length).toBe(4);
    expect(statisticsOf(graph, inventoryOf(graph.nodes)).edges).toBe(400_000_000);
  });
});

describe('The blast radius over linked states', () => {
  /** A chain of three in each state: node 0 is depended on by 1, and 1 by 2. */
  const chain = Buffer.from(Uint32Array.from([2, 0, 1, 1, 2]).buffer);
  const sizes = new Map(['a', 'b', 'c'].map((id) => [id, 3]));
  const search = (links: Parameters<typeof blastRadius>[3], node = 0) =>
    blastRadius({ stateId: 'a', node }, sizes, () => new RangePairs(chain), links).map((hit) => [
      hit.stateId,
      hit.node,
      hit.distance,
    ]);

  it('counts an edge across states as one', () => {
    expect(search([{ producer: 'a', from: [1], consumer: 'b', to: 0 }])).toEqual([
      ['a', 0, 0],
      ['a', 1, 1],
      ['a', 2, 2],
      ['b', 0, 2],
      ['b', 1, 3],
      ['b', 2, 4],
    ]);
  });

  it('starts at the whole producer where nothing says which instance feeds the consumer', () => {
    expect(search([{ producer: 'a', from: undefined, consumer: 'b', to: 2 }])).toContainEqual(['b', 2, 1]);
    expect(search([{ producer: 'a', from: [0], consumer: 'b', to: 2 }], 1)).toEqual([
      ['a', 1, 0],
      ['a', 2, 1],
    ]);
  });

  it('ends where states read each other', () => {
    const hits = search([
      { producer: 'a', from: undefined, consumer: 'b', to: 0 },
      { producer: 'b', from: [2], consumer: 'c', to: 0 },
      { producer: 'c', from: undefined, consumer: 'a', to: 0 },
    ]);
    expect(hits.length).toBe(9);
  });
});

function naiveDistances(edges: ReadonlySet<string>, seed: string): Map<string, number> {
  const dependents = new Map<string, string[]>();
  for (const edge of edges) {
    const [from = '', to = ''] = edge.split(' ');
    dependents.set(to, [...(dependents.get(to) ?? []), from]);
  }
  const distances = new Map([[seed, 0]]);
  for (const [node, distance] of distances) {
    for (const next of dependents.get(node) ?? [])
      if (!distances.has(next)) distances.set(next, distance + 1);
  }
  return distances;
}
