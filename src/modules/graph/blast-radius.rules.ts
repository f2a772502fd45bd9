import { RangePairs } from './graph.codec.js';

/** A `terraform_remote_state` of the consumer that reads the producer, by node ordinals. */
export interface LinkEdge {
  producer: string;
  /** nodes of the producer that feed it; undefined: any of them */
  from: readonly number[] | undefined;
  consumer: string;
  to: number;
}

export interface Hit {
  stateId: string;
  node: number;
  /** dependency edges from the seed; an edge across states counts as one */
  distance: number;
}

/**
 * Everything that depends on the seed, nearest first. Breadth-first over range pairs: a range is entered once, because
 * its first visitor is at the smallest distance. Ends on cycles, within a state and across states.
 */
export function blastRadius(
  seed: { stateId: string; node: number },
  sizes: ReadonlyMap<string, number>,
  pairsOf: (stateId: string) => RangePairs | undefined,
  links: readonly LinkEdge[],
): Hit[] {
  const visited = new Map<string, Uint8Array>();
  const graphs = new Map<string, RangePairs | undefined>();
  const whole = group(links.filter((link) => link.from === undefined));
  const exact = group(links.filter((link) => link.from !== undefined));
  const hits: Hit[] = [];
  const visit = (stateId: string, node: number, distance: number): void => {
    let marks = visited.get(stateId);
    if (!marks) visited.set(stateId, (marks = new Uint8Array(sizes.get(stateId) ?? 0)));
    if (node < 0 || node >= marks.length || marks[node] === 1) return;
    marks[node] = 1;
    hits.push({ stateId, node, distance });
  };
  visit(seed.stateId, seed.node, 0);
  for (let next = 0; next < hits.length; next++) {
    const { stateId, node, distance } = hits[next] as Hit;
    if (!graphs.has(stateId)) graphs.set(stateId, pairsOf(stateId));
    graphs.get(stateId)?.dependentsOf(node, (dependent) => visit(stateId, dependent, distance + 1));
    for (const link of whole.get(stateId) ?? []) visit(link.consumer, link.to, distance + 1);
    whole.delete(stateId);
    for (const link of exact.get(stateId) ?? [])
      if (link.from?.includes(node)) visit(link.consumer, link.to, distance + 1);
  }
  return hits;
}

function group(links: readonly LinkEdge[]): Map<string, LinkEdge[]> {
  const groups = new Map<string, LinkEdge[]>();
  for (const link of links) {
    const known = groups.get(link.producer);
    if (known) known.push(link);
    else groups.set(link.producer, [link]);
  }
  return groups;
}
