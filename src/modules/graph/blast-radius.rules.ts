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
  state: number[];
  node: number[];
  /** dependency edges from the seed; an edge across states counts as one */
  distance: number[];
}

/**
 * Everything that depends on the seed. Breadth-first over range pairs: a range is entered once, because its first
 * visitor is nearest. Ends on cycles, within a state and across states.
 */
export function blastRadius(
  seed: { state: number; node: number },
  graphs: readonly GraphTopology[],
  links: readonly LinkEdge[],
): Reached {
  const reached: Reached = { state: [], node: [], distance: [] };
  const visited = graphs.map((graph) => new Uint8Array(graph.size));
  const entered = graphs.map((graph) => new Uint8Array(graph.pairCount));
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
  const visit = (state: number, node: number, distance: number): void => {
    const marks = visited[state];
    if (marks?.[node] !== 0) return;
    marks[node] = 1;
    reached.state.push(state);
    reached.node.push(node);
    reached.distance.push(distance);
  };
  visit(seed.state, seed.node, 0);
  for (let next = 0; next < reached.node.length; next++) {
    const [state, node] = [reached.state[next] ?? 0, reached.node[next] ?? 0];
    const distance = (reached.distance[next] ?? 0) + 1;
    graphs[state]?.dependentsOf(node, entered[state] ?? new Uint8Array(), (from, to) => {
      for (let dependent = from; dependent < to; dependent++) visit(state, dependent, distance);
    });
    for (const link of whole.get(state) ?? []) visit(link.consumer, link.to, distance);
    whole.delete(state);
    for (const link of exact.get(state)?.get(node) ?? []) visit(link.consumer, link.to, distance);
  }
  return reached;
}

function append<K>(groups: Map<K, LinkEdge[]>, key: K, link: LinkEdge): void {
  const known = groups.get(key);
  if (known) known.push(link);
  else groups.set(key, [link]);
}
