import type { LinkEdge } from './blast-radius.rules.js';
import type { GraphTopology } from '../topology/graph-topology.js';
import { ScratchMemory } from './scratch-memory.js';

export const WALKS = ['dependencies', 'dependents'] as const;
export type Walk = (typeof WALKS)[number];

/** A node of one of several graphs. */
export interface Place {
  state: number;
  node: number;
}

/** How far each node is: 0 where it was not reached, else one more than its distance from the seed. */
export type Distances = readonly Uint8Array[];

/**
 * Walks from the seed in one direction, at most `depth` edges far; an edge between states counts as one. Each edge
 * between groups is entered once, so that the work is linear in the nodes and edges that are reached.
 * @param memory holds the result too, until it is reset
 */
export function distancesFrom(
  seed: Place,
  walk: { direction: Walk; depth: number },
  {
    graphs,
    links,
    memory = new ScratchMemory(),
  }: { graphs: readonly GraphTopology[]; links: readonly LinkEdge[]; memory?: ScratchMemory },
): Distances {
  const found = graphs.map(({ size }) => memory.flags(size));
  const entered = graphs.map(({ entrances }) => memory.flags(entrances));
  const linked = linksFrom(links, walk.direction);
  let frontier: Place[] = [seed];
  const mark = found[seed.state];
  if (mark && seed.node >= 0 && seed.node < mark.length) mark[seed.node] = 1;
  for (let distance = 1; distance <= walk.depth && frontier.length > 0; distance++) {
    const next: Place[] = [];
    const visit = (state: number, from: number, to: number): void => {
      const marks = found[state];
      if (!marks) return;
      for (let node = from; node < Math.min(to, marks.length); node++) {
        if (marks[node] !== 0) continue;
        marks[node] = distance + 1;
        next.push({ state, node });
      }
    };
    for (const { state, node } of frontier) {
      const [graph, marks] = [graphs[state], entered[state]];
      if (!graph || !marks) continue;
      const visitRange = (_: number, from: number, to: number): void => visit(state, from, to);
      if (walk.direction === 'dependents') graph.dependentsOf(node, graph.groupOf(node), marks, visitRange);
      else graph.dependenciesEntering(node, marks, visitRange);
      for (const link of rangesOf(linked.get(state), node)) visit(link.state, link.from, link.to);
    }
    frontier = next;
  }
  return found;
}

interface LinkedRange {
  state: number;
  from: number;
  to: number;
}

/** The ranges of other states that links join to any node of a state, and to single ones. */
interface LinkedRanges {
  whole: LinkedRange[];
  exact: Map<number, LinkedRange[]>;
}

/** A link that names no nodes of its producer joins the whole producer. */
function linksFrom(links: readonly LinkEdge[], direction: Walk): Map<number, LinkedRanges> {
  const found = new Map<number, LinkedRanges>();
  const add = (state: number, node: number | undefined, range: LinkedRange): void => {
    let ranges = found.get(state);
    if (!ranges) found.set(state, (ranges = { whole: [], exact: new Map() }));
    if (node === undefined) ranges.whole.push(range);
    else ranges.exact.set(node, [...(ranges.exact.get(node) ?? []), range]);
  };
  for (const { producer, from, consumer, to } of links) {
    const reader = { state: consumer, from: to, to: to + 1 };
    const sources = from?.map((node) => ({ state: producer, from: node, to: node + 1 }));
    if (direction === 'dependencies')
      for (const source of sources ?? [{ state: producer, from: 0, to: Number.POSITIVE_INFINITY }])
        add(consumer, to, source);
    else if (from === undefined) add(producer, undefined, reader);
    else for (const node of from) add(producer, node, reader);
  }
  return found;
}

function rangesOf(ranges: LinkedRanges | undefined, node: number): readonly LinkedRange[] {
  if (!ranges) return [];
  const exact = ranges.exact.get(node) ?? [];
  return ranges.whole.length === 0 ? exact : [...ranges.whole, ...exact];
}

/** Edges among places, as pairs of their positions: the first depends on the second. At most `most`, by position. */
export function edgesAmong(
  places: readonly Place[],
  graphs: readonly GraphTopology[],
  links: readonly LinkEdge[],
  most: number,
): { edges: { from: number; to: number }[]; cut: boolean } {
  const positions = graphs.map(() => new Map<number, number>());
  places.forEach(({ state, node }, position) => positions[state]?.set(node, position));
  const ordered = positions.map((map) => Uint32Array.from(map.keys()).sort());
  const edges: { from: number; to: number }[] = [];
  const linked = linksFrom(links, 'dependencies');
  for (const [from, { state, node }] of places.entries()) {
    const ranges: LinkedRange[] = [
      ...(graphs[state]?.dependenciesOf(node) ?? []).map((range) => ({
        state,
        from: range.from,
        to: range.to,
      })),
      ...rangesOf(linked.get(state), node),
    ];
    for (const range of ranges) {
      const nodes = ordered[range.state] ?? new Uint32Array();
      for (let at = firstNotBelow(nodes, range.from); at < nodes.length; at++) {
        const other = nodes[at] as number;
        if (other >= range.to) break;
        const to = positions[range.state]?.get(other);
        if (to === undefined || to === from) continue;
        if (edges.length === most) return { edges, cut: true };
        edges.push({ from, to });
      }
    }
  }
  return { edges, cut: false };
}

/** The nodes with most edges, in graph order among equals. */
export function bestConnected(graph: GraphTopology, limit: number): number[] {
  const { dependents, dependencies } = graph.degrees();
  const degree = (node: number): number => (dependents[node] ?? 0) + (dependencies[node] ?? 0);
  return Array.from({ length: graph.size }, (_, node) => node)
    .sort((a, b) => degree(b) - degree(a) || a - b)
    .slice(0, limit);
}

function firstNotBelow(values: Uint32Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
