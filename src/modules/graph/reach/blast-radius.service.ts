import { Injectable } from '@nestjs/common';
import { AccessDecisions, type Principal } from '../../access/index.js';
import { blastRadius, type Reached } from './blast-radius.rules.js';
import type { BlastRadiusEntryView, BlastRadiusView } from '../dto/graph.dto.js';
import { graphErrors } from '../graph.errors.js';
import type { NodeTable } from '../topology/node-table.js';
import { type ReachableState, ReachableEstateQueries } from './reachable-estate.queries.js';
import { ScratchMemory } from './scratch-memory.js';

/** Searches at once whose memory is kept. */
const MOST_MEMORIES = 2;

/** What a change of one instance may reach, in its state and in those that read it. */
@Injectable()
export class BlastRadiusService {
  private readonly memories: ScratchMemory[] = [];

  constructor(
    private readonly estate: ReachableEstateQueries,
    private readonly access: AccessDecisions,
  ) {}

  /** @param limit how many of the nearest instances are named; all are counted */
  async findBlastRadius(
    caller: Principal,
    statePath: string,
    address: string,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<BlastRadiusView> {
    const stateId = statePath.toLowerCase();
    const memory = this.memories.pop() ?? new ScratchMemory();
    try {
      return await this.search(caller, stateId, { address, limit, memory });
    } finally {
      memory.reset();
      if (this.memories.length < MOST_MEMORIES) this.memories.push(memory);
    }
  }

  private async search(
    caller: Principal,
    stateId: string,
    { address, limit, memory }: { address: string; limit: number; memory: ScratchMemory },
  ): Promise<BlastRadiusView> {
    return this.estate.inOneSnapshot(async () => {
      const seed = address.includes('\0') ? undefined : await this.estate.seed(stateId, address);
      if (!seed) throw graphErrors.INSTANCE_NOT_FOUND();
      const { states, nodes: own, links } = await this.estate.reachable(stateId, memory);
      const node = own?.find(seed);
      if (!own || node === undefined) throw graphErrors.INSTANCE_NOT_FOUND();
      const visible = states.map((state) => this.access.reading(caller, state.tenantId, state.id) === 'all');
      const listing = { limit, counts: (state: number) => visible[state] === true };
      const topologies = states.map((state) => state.topology);
      const reached = blastRadius({ state: 0, node }, { graphs: topologies, links, listing, memory });
      const shown: number[] = [];
      for (let i = 0; i < reached.node.length && shown.length < limit; i++)
        if (visible[reached.state[i] ?? 0]) shown.push(i);
      const named = new Set(shown.map((i) => states[reached.state[i] ?? 0]?.id ?? stateId));
      named.delete(stateId);
      const nodes = (await this.estate.nodes([...named])).set(stateId, own);
      return { results: entriesOf(shown, reached, states, nodes), ...totals(reached, visible) };
    });
  }
}

function totals({ counts }: Reached, visible: readonly boolean[]): Omit<BlastRadiusView, 'results'> {
  const sums = { reached_states: 0, reached_instances: 0, hidden_states: 0, hidden_instances: 0 };
  counts.forEach((count, state) => {
    if (count === 0) return;
    const sight = visible[state] ? 'reached' : 'hidden';
    sums[`${sight}_states`]++;
    sums[`${sight}_instances`] += count;
  });
  return sums;
}

/** By distance, then state, then address. */
function entriesOf(
  shown: readonly number[],
  reached: Reached,
  states: readonly ReachableState[],
  nodes: ReadonlyMap<string, NodeTable>,
): BlastRadiusEntryView[] {
  const entries = shown.flatMap((i): BlastRadiusEntryView[] => {
    const state = states[reached.state[i] ?? 0];
    const table = state && nodes.get(state.id);
    if (!state || !table) return [];
    const [node, distance] = [reached.node[i] ?? 0, reached.distance[i] ?? 0];
    const index = table.indexOf(node);
    return [
      {
        address: table.addressOf(node),
        resource_address: table.resourceAddressOf(node),
        direction: distance === 0 ? 'seed' : 'blast',
        distance,
        ...(index === undefined ? {} : { index }),
        state_id: state.id,
        state_name: state.name,
      },
    ];
  });
  return entries.sort(
    (a, b) =>
      a.distance - b.distance ||
      compare(a.state_name, b.state_name) ||
      compare(a.state_id, b.state_id) ||
      compare(a.address, b.address),
  );
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
