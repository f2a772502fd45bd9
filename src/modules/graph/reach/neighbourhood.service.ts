import { Injectable } from '@nestjs/common';
import { AccessDecisions, type Principal } from '../../access/index.js';
import {
  DEFAULT_NODES,
  type GraphDirection,
  type GraphNodeView,
  type GraphView,
  type ReadGraphQuery,
} from '../dto/neighbourhood.dto.js';
import { graphErrors } from '../graph.errors.js';
import {
  bestConnected,
  type Distances,
  distancesFrom,
  edgesAmong,
  type Place,
  type Walk,
  WALKS,
} from './neighbourhood.rules.js';
import type { NodeTable } from '../topology/node-table.js';
import {
  type ReachableEstate,
  ReachableEstateQueries,
  type ReachableState,
} from './reachable-estate.queries.js';
import { ScratchMemory } from './scratch-memory.js';

const MAX_EDGES = 20_000;

/** One instance on its way into the answer. */
interface Found extends Place {
  distance: number;
  direction: GraphNodeView['direction'];
}

interface Named extends Found {
  address: string;
}

/** The part of the dependency graph around one instance, small enough to be drawn. */
@Injectable()
export class NeighbourhoodService {
  constructor(
    private readonly estate: ReachableEstateQueries,
    private readonly access: AccessDecisions,
  ) {}

  async read(caller: Principal, statePath: string, query: ReadGraphQuery): Promise<GraphView> {
    const { address, depth = 1, direction = 'both', limit = DEFAULT_NODES } = query;
    const stateId = statePath.toLowerCase();
    return this.estate.inOneSnapshot(async () =>
      address === undefined
        ? this.hubs(stateId, limit)
        : this.around(caller, stateId, address, { depth, direction, limit }),
    );
  }

  private async around(
    caller: Principal,
    stateId: string,
    address: string,
    { depth, direction, limit }: { depth: number; direction: GraphDirection; limit: number },
  ): Promise<GraphView> {
    const identity = address.includes('\0') ? undefined : await this.estate.seed(stateId, address);
    if (!identity) throw graphErrors.INSTANCE_NOT_FOUND();
    const memory = new ScratchMemory();
    const walks = direction === 'both' ? WALKS : [direction];
    const near = await this.estate.near(stateId, { depth, walks }, memory);
    const node = near.nodes?.find(identity);
    if (!near.nodes || node === undefined) throw graphErrors.INSTANCE_NOT_FOUND();
    const graphs = near.states.map(({ topology }) => topology);
    const distances = (walk: Walk): Distances | undefined =>
      walks.includes(walk)
        ? distancesFrom({ state: 0, node }, { direction: walk, depth }, { graphs, links: near.links, memory })
        : undefined;
    const visible = near.states.map(
      (state) => this.access.reading(caller, state.tenantId, state.id) === 'all',
    );
    const reached = levelsOf(distances('dependencies'), distances('dependents'), visible, depth);
    const tables = await this.tablesOf(near, reached.levels.flat());
    const named = nearest(reached.levels, limit, (place) => tables[place.state]?.addressOf(place.node) ?? '');
    return this.view(near, tables, named, { total: reached.total, hidden: reached.hidden });
  }

  /** The instances of the state itself that have most edges. */
  private async hubs(stateId: string, limit: number): Promise<GraphView> {
    const near = await this.estate.near(stateId, { depth: 0, walks: ['dependents'] }, new ScratchMemory());
    const graph = near.states[0]?.topology;
    if (!near.nodes || !graph)
      return { nodes: [], edges: [], total_nodes: 0, truncated: false, hidden_instances: 0 };
    const { nodes } = near;
    const level = bestConnected(graph, limit).map((node): Found => ({
      state: 0,
      node,
      distance: 0,
      direction: 'seed',
    }));
    const named = nearest([level], limit, ({ node }) => nodes.addressOf(node));
    return this.view(near, [nodes], named, { total: graph.size, hidden: 0 });
  }

  private view(
    near: ReachableEstate,
    tables: readonly (NodeTable | undefined)[],
    named: readonly Named[],
    counts: { total: number; hidden: number },
  ): GraphView {
    const graphs = near.states.map(({ topology }) => topology);
    const { edges, cut } = edgesAmong(named, graphs, near.links, MAX_EDGES);
    return {
      nodes: named.flatMap((place, id) => nodeView(place, id, near.states[place.state], tables[place.state])),
      edges,
      total_nodes: counts.total,
      truncated: cut || named.length < counts.total,
      hidden_instances: counts.hidden,
    };
  }

  private async tablesOf(
    near: ReachableEstate,
    places: readonly Place[],
  ): Promise<(NodeTable | undefined)[]> {
    const wanted = new Set(places.map(({ state }) => state).filter((state) => state !== 0));
    const ids = [...wanted].flatMap((state) => near.states[state]?.id ?? []);
    const nodes = await this.estate.nodes(ids);
    return near.states.map(({ id }, state) => (state === 0 ? near.nodes : nodes.get(id)));
  }
}

function nodeView(
  { address, node, distance, direction }: Named,
  id: number,
  state: ReachableState | undefined,
  table: NodeTable | undefined,
): GraphNodeView[] {
  if (!state || !table) return [];
  const { type, module } = table.kindOf(node);
  return [{ id, address, type, module, state_id: state.id, state_name: state.name, distance, direction }];
}

/** What the walks have reached, by distance; what lies in states beyond the caller's sight is only counted. */
function levelsOf(
  down: Distances | undefined,
  up: Distances | undefined,
  visible: readonly boolean[],
  depth: number,
): { levels: Found[][]; total: number; hidden: number } {
  const levels: Found[][] = Array.from({ length: depth + 1 }, () => []);
  let [total, hidden] = [0, 0];
  visible.forEach((isVisible, state) => {
    const [dependencies, dependents] = [down?.[state] ?? [], up?.[state] ?? []];
    const size = Math.max(dependencies.length, dependents.length);
    for (let node = 0; node < size; node++) {
      const [far, near] = [dependencies[node] ?? 0, dependents[node] ?? 0];
      if (far === 0 && near === 0) continue;
      if (!isVisible) {
        hidden++;
        continue;
      }
      total++;
      const reached = reachedBy(far, near);
      levels[reached.distance]?.push({ state, node, ...reached });
    }
  });
  return { levels, total, hidden };
}

/** `far` and `near`: one more than the distance to a dependency and to a dependent; 0 where a walk did not come. */
function reachedBy(far: number, near: number): Pick<Found, 'distance' | 'direction'> {
  const distance = (far === 0 ? near : near === 0 ? far : Math.min(far, near)) - 1;
  if (distance === 0) return { distance, direction: 'seed' };
  if (far === 0) return { distance, direction: 'dependent' };
  return { distance, direction: near === 0 ? 'dependency' : 'both' };
}

/** The first of them by distance, then address. Levels beyond the limit are not named. */
function nearest(
  levels: readonly (readonly Found[])[],
  limit: number,
  addressOf: (place: Place) => string,
): Named[] {
  const named: Named[] = [];
  for (const level of levels) {
    if (named.length >= limit) break;
    const next = level.map((place) => ({ ...place, address: addressOf(place) }));
    next.sort((a, b) => compare(a.address, b.address) || a.state - b.state || a.node - b.node);
    named.push(...next.slice(0, limit - named.length));
  }
  return named;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
