import type { GraphTopology } from '../topology/graph-topology.js';
import { ScratchMemory } from './scratch-memory.js';

/** A `terraform_remote_state` of the consumer that reads the producer: states by position, instances by ordinal. */
export interface LinkEdge {
  producer: number;
  /** nodes of the producer that feed it; undefined: any of them */
  from: readonly number[] | undefined;
  consumer: number;
  to: number;
}

/** What is reached; columns have one entry for each of the nearest, which come first. */
export interface Reached {
  state: Uint32Array;
  node: Uint32Array;
  /** dependency edges from the seed; an edge across states counts as one */
  distance: Uint32Array;
  /** how many of each state are reached at all, by its position */
  counts: Uint32Array;
}

/** How many of the nearest are listed: those of some states, of others they come on top. */
export interface Listing {
  limit: number;
  counts: (state: number) => boolean;
}

const ALL: Listing = { limit: Number.POSITIVE_INFINITY, counts: () => true };

/**
 * Everything that depends on the seed. Breadth-first over ranges until enough are listed: a range is entered once, because
 * its first visitor is nearest. The rest is only counted, state by state, which is several times as fast. Ends on cycles,
 * within a state and across states.
 * @param memory holds the result too, until it is reset
 */
export function blastRadius(
  seed: { state: number; node: number },
  {
    graphs,
    links,
    listing = ALL,
    memory = new ScratchMemory(),
  }: {
    graphs: readonly GraphTopology[];
    links: readonly LinkEdge[];
    listing?: Listing;
    memory?: ScratchMemory;
  },
): Reached {
  const search = new Search(graphs, linksByProducer(graphs.length, links), listing, memory);
  search.visit(seed.state, seed.node);
  search.listNearest();
  search.countRest();
  return search.reached();
}

/** Of one state: the links that any of its nodes feeds, and those that single ones feed. */
interface StateLinks {
  whole: LinkEdge[];
  exact: Map<number, LinkEdge[]>;
}

function linksByProducer(states: number, links: readonly LinkEdge[]): StateLinks[] {
  const found = Array.from({ length: states }, (): StateLinks => ({ whole: [], exact: new Map() }));
  for (const link of links) {
    const of = found[link.producer];
    if (!link.from) of?.whole.push(link);
    else
      for (const node of link.from) {
        const known = of?.exact.get(node);
        if (known) known.push(link);
        else of?.exact.set(node, [link]);
      }
  }
  return found;
}

class Search {
  private readonly marked: readonly Uint8Array[];
  private readonly entered: readonly Uint8Array[];
  /** the queue: what was reached, in order */
  private readonly state: Uint32Array;
  private readonly node: Uint32Array;
  private readonly group: Uint32Array;
  private readonly distance: Uint32Array;
  private readonly counts: Uint32Array;
  private readonly stack: Uint32Array;
  private current = 0;
  private head = 0;
  private tail = 0;
  private further = 0;
  private listed = 0;

  constructor(
    private readonly graphs: readonly GraphTopology[],
    private readonly links: readonly StateLinks[],
    private readonly listing: Listing,
    memory: ScratchMemory,
  ) {
    const sizes = graphs.map(({ size }) => size);
    const nodes = sizes.reduce((sum, size) => sum + size, 0);
    this.marked = sizes.map((size) => memory.flags(size));
    this.entered = graphs.map(({ entrances }) => memory.flags(entrances));
    this.state = memory.words(nodes);
    this.node = memory.words(nodes);
    this.group = memory.words(nodes);
    this.distance = memory.words(nodes);
    this.counts = memory.words(graphs.length).fill(0);
    this.stack = memory.words(2 * sizes.reduce((most, size) => Math.max(most, size), 0));
  }

  visit(state: number, node: number): void {
    const graph = this.graphs[state];
    if (graph && node >= 0 && node < graph.size) this.enqueue(state, graph.groupOf(node), node);
  }

  listNearest(): void {
    for (; this.head < this.tail && this.listed < this.listing.limit; this.head++) {
      const [state, node] = [this.state[this.head] as number, this.node[this.head] as number];
      const entered = this.entered[state];
      this.further = (this.distance[this.head] as number) + 1;
      this.current = state;
      if (entered)
        this.graphs[state]?.dependentsOf(node, this.group[this.head] as number, entered, this.visitRange);
      const links = this.links[state];
      for (const link of links?.whole.splice(0) ?? []) this.visit(link.consumer, link.to);
      for (const link of links?.exact.get(node) ?? []) this.visit(link.consumer, link.to);
    }
  }

  /** From what is listed and was not looked behind. Where a state is entered does not matter any more. */
  countRest(): void {
    const entrances = new Map<number, number[]>();
    const enter = (state: number, node: number): void => {
      const known = entrances.get(state);
      if (known) known.push(node);
      else entrances.set(state, [node]);
    };
    for (let at = this.head; at < this.tail; at++) enter(this.state[at] as number, this.node[at] as number);
    for (const [state, nodes] of entrances) {
      entrances.delete(state);
      this.countBehind(state, nodes);
      for (const { consumer, to } of this.reachedLinks(state)) {
        const marked = this.marked[consumer];
        if (!marked || to < 0 || to >= marked.length || marked[to] === 1) continue;
        marked[to] = 1;
        this.counts[consumer] = (this.counts[consumer] as number) + 1;
        enter(consumer, to);
      }
    }
  }

  reached(): Reached {
    const { tail } = this;
    return {
      state: this.state.subarray(0, tail),
      node: this.node.subarray(0, tail),
      distance: this.distance.subarray(0, tail),
      counts: this.counts,
    };
  }

  private countBehind(state: number, nodes: readonly number[]): void {
    const [graph, entered, marked] = [this.graphs[state], this.entered[state], this.marked[state]];
    if (!graph || !entered || !marked) return;
    const count = graph.markBehind(nodes, this.stack, entered, marked);
    this.counts[state] = (this.counts[state] as number) + count;
  }

  /** Those that what is marked of the state feeds; each is told once. */
  private reachedLinks(state: number): LinkEdge[] {
    const [links, marked] = [this.links[state], this.marked[state]];
    if (!links || !marked) return [];
    const found = links.whole.splice(0);
    for (const [node, list] of links.exact) {
      if (marked[node] !== 1) continue;
      found.push(...list);
      links.exact.delete(node);
    }
    return found;
  }

  private readonly visitRange = (group: number, from: number, to: number): void => {
    for (let node = from; node < to; node++) this.enqueue(this.current, group, node);
  };

  private enqueue(state: number, group: number, node: number): void {
    const marked = this.marked[state];
    if (!marked || marked[node] === 1) return;
    marked[node] = 1;
    const { tail } = this;
    this.state[tail] = state;
    this.node[tail] = node;
    this.group[tail] = group;
    this.distance[tail] = this.further;
    this.counts[state] = (this.counts[state] as number) + 1;
    this.tail++;
    if (this.listing.counts(state)) this.listed++;
  }
}
