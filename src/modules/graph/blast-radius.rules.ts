import type { GraphTopology } from './graph-topology.js';

/** A `terraform_remote_state` of the consumer that reads the producer: states by position, instances by ordinal. */
export interface LinkEdge {
  producer: number;
  /** nodes of the producer that feed it; undefined: any of them */
  from: readonly number[] | undefined;
  consumer: number;
  to: number;
}

/** What is reached, nearest first; one entry in each column. */
export interface Reached {
  state: Uint32Array;
  node: Uint32Array;
  /** dependency edges from the seed; an edge across states counts as one */
  distance: Uint32Array;
  /** how many of each state, by its position */
  counts: Uint32Array;
}

/**
 * Everything that depends on the seed. Breadth-first over ranges: a range is entered once, because its first visitor is
 * nearest. Ends on cycles, within a state and across states.
 */
export function blastRadius(
  seed: { state: number; node: number },
  graphs: readonly GraphTopology[],
  links: readonly LinkEdge[],
): Reached {
  const search = new BreadthFirstSearch(graphs);
  const whole = new Map<number, LinkEdge[]>();
  const exact = new Map<number, Map<number, LinkEdge[]>>();
  for (const link of links) {
    if (!link.from) append(whole, link.producer, link);
    else {
      const nodes = exact.get(link.producer) ?? new Map<number, LinkEdge[]>();
      exact.set(link.producer, nodes);
      for (const node of link.from) append(nodes, node, link);
    }
  }
  search.visit(seed.state, seed.node);
  for (let at = search.next(); at !== undefined; at = search.next()) {
    for (const link of whole.get(at.state) ?? []) search.visit(link.consumer, link.to);
    whole.delete(at.state);
    for (const link of exact.get(at.state)?.get(at.node) ?? []) search.visit(link.consumer, link.to);
  }
  return search.reached();
}

/** Nodes of all graphs in one numbering, so that the search is a few flat arrays. */
class BreadthFirstSearch {
  /** number of each graph's first node */
  private readonly base: Uint32Array;
  private readonly marked: Uint8Array;
  private readonly entered: readonly Uint8Array[];
  private readonly state: Uint32Array;
  private readonly node: Uint32Array;
  private readonly group: Uint32Array;
  private readonly distance: Uint32Array;
  private readonly counts: Uint32Array;
  private readonly at = { state: 0, node: 0 };
  private head = 0;
  private tail = 0;
  private further = 0;

  constructor(private readonly graphs: readonly GraphTopology[]) {
    this.base = new Uint32Array(graphs.length);
    let nodes = 0;
    graphs.forEach((graph, state) => {
      this.base[state] = nodes;
      nodes += graph.size;
    });
    this.entered = graphs.map((graph) => new Uint8Array(graph.entrances));
    this.marked = new Uint8Array(nodes);
    this.state = new Uint32Array(nodes);
    this.node = new Uint32Array(nodes);
    this.group = new Uint32Array(nodes);
    this.distance = new Uint32Array(nodes);
    this.counts = new Uint32Array(graphs.length);
  }

  /** Visits what depends on the nearest node that was not looked at yet, and says which it was. */
  next(): { state: number; node: number } | undefined {
    if (this.head === this.tail) return undefined;
    const { at, head } = this;
    at.state = this.state[head] as number;
    at.node = this.node[head] as number;
    this.further = (this.distance[head] as number) + 1;
    this.head++;
    const entered = this.entered[at.state];
    if (entered)
      this.graphs[at.state]?.dependentsOf(at.node, this.group[head] as number, entered, this.visitRange);
    return at;
  }

  visit(state: number, node: number): void {
    const graph = this.graphs[state];
    if (graph && node >= 0 && node < graph.size) this.enqueue(state, graph.groupOf(node), node);
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

  private readonly visitRange = (group: number, from: number, to: number): void => {
    for (let node = from; node < to; node++) this.enqueue(this.at.state, group, node);
  };

  private enqueue(state: number, group: number, node: number): void {
    const number = (this.base[state] as number) + node;
    if (this.marked[number] === 1) return;
    this.marked[number] = 1;
    const { tail } = this;
    this.state[tail] = state;
    this.node[tail] = node;
    this.group[tail] = group;
    this.distance[tail] = this.further;
    this.counts[state] = (this.counts[state] as number) + 1;
    this.tail++;
  }
}

function append<K>(groups: Map<K, LinkEdge[]>, key: K, link: LinkEdge): void {
  const known = groups.get(key);
  if (known) known.push(link);
  else groups.set(key, [link]);
}
