import { Injectable } from '@nestjs/common';
import { blastRadius, type LinkEdge } from './blast-radius.rules.js';
import type { InstanceIdentity, NodeTable } from '../topology/node-table.js';
import { type ReachableState, ReachableEstateQueries } from './reachable-estate.queries.js';
import { ScratchMemory } from './scratch-memory.js';

/** What depends on an instance, directly or not: resources, modules they lie in, and resources in other states. */
export interface BlastCount {
  resources: number;
  modules: number;
  otherStates: number;
}

const NOTHING: BlastCount = { resources: 0, modules: 0, otherStates: 0 };

/** Counts blast radii of many instances of one state; other tenants' states do not count. */
@Injectable()
export class BlastCounts {
  constructor(private readonly estate: ReachableEstateQueries) {}

  /** The graphs of the state and of all that read it, as they are now. */
  async load(stateId: string): Promise<BlastCounter> {
    const memory = new ScratchMemory();
    const { states, links } = await this.estate.ofTenant(stateId, memory);
    return new BlastCounter(states, links);
  }
}

export class BlastCounter {
  private readonly scratch = new ScratchMemory();
  private readonly known = new Map<string, BlastCount>();
  /** nodes of the first state that feed other states by name; `whole`: all of them do */
  private readonly exits: ReadonlySet<number>;
  private readonly feedsWhole: boolean;

  constructor(
    private readonly states: readonly (ReachableState & { nodes: NodeTable })[],
    private readonly links: readonly LinkEdge[],
  ) {
    const own = links.filter((link) => link.producer === 0);
    this.exits = new Set(own.flatMap((link) => link.from ?? []));
    this.feedsWhole = own.some((link) => link.from === undefined);
  }

  /** Zeros for an instance that the graph does not have. */
  count(identity: InstanceIdentity): BlastCount {
    const own = this.states[0];
    const node = own?.nodes.find(identity);
    if (own === undefined || node === undefined) return NOTHING;
    const { topology } = own;
    const group = topology.groupOf(node);
    const isExit = this.feedsWhole || this.exits.has(node);
    if (!isExit && !topology.hasDependents(group)) return NOTHING;
    // Nodes of a group depend alike unless single ones are told apart by ranges or by links.
    const key = topology.hasPairs || this.exits.size > 0 ? `n${node}` : `g${group}`;
    let count = this.known.get(key);
    if (count === undefined) this.known.set(key, (count = this.search(node)));
    return count;
  }

  private search(node: number): BlastCount {
    this.scratch.reset();
    const topologies = this.states.map(({ topology }) => topology);
    const reached = blastRadius(
      { state: 0, node },
      { graphs: topologies, links: this.links, memory: this.scratch },
    );
    const resources = new Set<string>();
    const modules = new Set<string>();
    let otherStates = 0;
    for (let at = 1; at < reached.node.length; at++) {
      const state = reached.state[at] ?? 0;
      const nodes = this.states[state]?.nodes;
      if (nodes === undefined) continue;
      const place = nodes.placeOf(reached.node[at] ?? 0);
      const resource = `${state} ${place}`;
      if (resources.has(resource)) continue;
      resources.add(resource);
      modules.add(`${state} ${nodes.moduleOf(place)}`);
      if (state !== 0) otherStates += 1;
    }
    return { resources: resources.size, modules: modules.size, otherStates };
  }
}
