import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { LinkEdge } from './blast-radius.rules.js';
import { GraphTopology } from '../topology/graph-topology.js';
import { decodeLandmarks, type Landmarks, uuidText } from '../topology/landmarks.js';
import type { Walk } from './neighbourhood.rules.js';
import { type InstanceIdentity, NodeTable } from '../topology/node-table.js';
import type { ScratchMemory } from './scratch-memory.js';
import { requireUuid } from '../../../platform/text/uuid.js';

export interface ReachableState {
  id: string;
  name: string;
  tenantId: string;
  topology: GraphTopology;
  landmarks: Landmarks;
}

export interface ReachableEstate {
  states: ReachableState[];
  /** of the first state; undefined when it has no graph */
  nodes: NodeTable | undefined;
  links: LinkEdge[];
}

interface LinkRow {
  producer: string;
  consumer: string;
  consumer_key: string;
  /** null: no value that was read tells where it came from */
  sources: string[] | null;
}

type SeedRow = Omit<InstanceIdentity, 'index_key'> & { index_key: string | null };

const READERS = `SELECT l.consumer_state_id FROM reached r JOIN states p ON p.id = r.id
  JOIN state_links l ON l.group_id = p.group_id AND l.workspace = p.workspace`;

/** Statement for the states that are at most so many links away from one: its readers, or those that it reads. */
function linkedTo(id: string, walk: Walk, depth: number): string {
  const next =
    walk === 'dependents'
      ? `SELECT l.consumer_state_id, n.links + 1 FROM near n JOIN states p ON p.id = n.id
           JOIN state_links l ON l.group_id = p.group_id AND l.workspace = p.workspace`
      : `SELECT p.id, n.links + 1 FROM near n JOIN state_links l ON l.consumer_state_id = n.id
           JOIN states p ON p.group_id = l.group_id AND p.workspace = l.workspace`;
  return `WITH RECURSIVE near (id, links) AS (SELECT '${id}'::uuid, 0 UNION ${next} WHERE n.links < ${depth}) SELECT id FROM near`;
}

/** Reads what a blast radius needs. Ordinals belong to one version of a graph: all of it runs in one snapshot. */
@Injectable()
export class ReachableEstateQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** Everything inside sees the database as it was at its first statement. */
  async inOneSnapshot<T>(task: () => Promise<T>): Promise<T> {
    return this.work.run(async () => {
      await this.work.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return task();
    });
  }

  /** A live object stands before a deposed one of the same address. */
  async seed(stateId: string, address: string): Promise<InstanceIdentity | undefined> {
    const [row] = await this.work.query<SeedRow>(
      `SELECT module, mode, type, name, provider, index_key::text, deposed FROM instances
       WHERE state_id = $1 AND left(address, 512) COLLATE "C" = left($2, 512) AND address = $2 ORDER BY deposed NULLS FIRST LIMIT 1`,
      [stateId, address],
    );
    const index = row?.index_key;
    return row && { ...row, index_key: index ? (JSON.parse(index) as string | number) : null };
  }

  /**
   * The state first, with its nodes, then all that read it, directly or through others; and what links them. The graphs live
   * in `memory`.
   */
  async reachable(stateId: string, memory: ScratchMemory): Promise<ReachableEstate> {
    return this.estate(stateId, memory, (id) => `SELECT '${id}'::uuid UNION ${READERS}`);
  }

  /** The same of the states at most `depth` links away, in one direction or both. */
  async near(
    stateId: string,
    reach: { depth: number; walks: readonly Walk[] },
    memory: ScratchMemory,
  ): Promise<ReachableEstate> {
    return this.estate(stateId, memory, (id) =>
      reach.walks
        .map((walk) => `SELECT id FROM (${linkedTo(id, walk, reach.depth)}) AS ${walk}`)
        .join(' UNION '),
    );
  }

  private async estate(
    stateId: string,
    memory: ScratchMemory,
    reachedBy: (id: string) => string,
  ): Promise<ReachableEstate> {
    const id = requireUuid(stateId);
    const rows = await this.work.copyRows(
      `COPY (WITH RECURSIVE reached (id) AS (${reachedBy(id)})
             SELECT s.id, s.name, s.tenant_id, g.topology, g.landmarks, CASE WHEN s.id = '${id}' THEN g.nodes END FROM reached r JOIN states s ON s.id = r.id
               JOIN state_graphs g ON g.state_id = s.id ORDER BY s.id <> '${id}', s.name, s.id) TO STDOUT (FORMAT binary)`,
    );
    const ids = rows.map(([state]) => (state ? uuidText(state) : ''));
    // The database looks for the links while the graphs are decoded.
    const linkRows = this.linkRows(ids);
    const allocate = (length: number): Uint32Array => memory.words(length);
    const states = rows.flatMap(([state, name, tenant, topology, landmarks], i) =>
      state && name && tenant && topology && landmarks
        ? [
            {
              id: ids[i] ?? '',
              name: name.toString(),
              tenantId: uuidText(tenant),
              topology: GraphTopology.decode(topology, allocate),
              landmarks: decodeLandmarks(landmarks),
            },
          ]
        : [],
    );
    const nodes = rows[0]?.[5];
    return {
      states,
      nodes: nodes ? new NodeTable(nodes) : undefined,
      links: linksOf(await linkRows, states),
    };
  }

  /**
   * The state first, then all states of its tenant that read it, each with its nodes. One statement reads them, so that
   * ordinals fit; no snapshot is needed.
   */
  async ofTenant(
    stateId: string,
    memory: ScratchMemory,
  ): Promise<{ states: (ReachableState & { nodes: NodeTable })[]; links: LinkEdge[] }> {
    const id = requireUuid(stateId);
    const rows = await this.work.copyRows(
      `COPY (WITH RECURSIVE reached (id) AS (
               SELECT '${id}'::uuid
               UNION
               SELECT c.id FROM reached r JOIN states p ON p.id = r.id
                 JOIN state_links l ON l.group_id = p.group_id AND l.workspace = p.workspace
                 JOIN states c ON c.id = l.consumer_state_id AND c.tenant_id = p.tenant_id)
             SELECT s.id, s.name, s.tenant_id, g.topology, g.landmarks, g.nodes FROM reached r JOIN states s ON s.id = r.id
               JOIN state_graphs g ON g.state_id = s.id ORDER BY s.id <> '${id}', s.id) TO STDOUT (FORMAT binary)`,
    );
    const allocate = (length: number): Uint32Array => memory.words(length);
    const states = rows.flatMap(([state, name, tenant, topology, landmarks, nodes]) =>
      state && name && tenant && topology && landmarks && nodes
        ? [
            {
              id: uuidText(state),
              name: name.toString(),
              tenantId: uuidText(tenant),
              topology: GraphTopology.decode(topology, allocate),
              landmarks: decodeLandmarks(landmarks),
              nodes: new NodeTable(nodes),
            },
          ]
        : [],
    );
    // A state without a graph has no instances, but those that read it are still found.
    if (states[0]?.id !== id) return { states: [], links: [] };
    return { states, links: linksOf(await this.linkRows(states.map((state) => state.id)), states) };
  }

  private async linkRows(stateIds: readonly string[]): Promise<LinkRow[]> {
    return this.work.query<LinkRow>(
      `SELECT p.id AS producer, l.consumer_state_id AS consumer, l.consumer_key,
         (SELECT array_agg(DISTINCT k) FROM output_sources o, unnest(o.keys) k WHERE o.state_id = p.id AND o.value = ANY(l.values)) AS sources
       FROM states p JOIN state_links l ON l.group_id = p.group_id AND l.workspace = p.workspace WHERE p.id = ANY($1::uuid[])`,
      [stateIds],
    );
  }

  async nodes(stateIds: readonly string[]): Promise<Map<string, NodeTable>> {
    if (stateIds.length === 0) return new Map();
    const list = stateIds.map((id) => `'${requireUuid(id)}'`).join(',');
    const rows = await this.work.copyRows(
      `COPY (SELECT state_id, nodes FROM state_graphs WHERE state_id IN (${list})) TO STDOUT (FORMAT binary)`,
    );
    return new Map(
      rows.flatMap(([id, nodes]) => (id && nodes ? [[uuidText(id), new NodeTable(nodes)]] : [])),
    );
  }
}

function linksOf(rows: readonly LinkRow[], states: readonly ReachableState[]): LinkEdge[] {
  const positions = new Map(states.map((state, position) => [state.id, position]));
  return rows.flatMap(({ producer, consumer, consumer_key, sources }) => {
    const [from, to] = [positions.get(producer), positions.get(consumer)];
    if (from === undefined || to === undefined) return [];
    const node = states[to]?.landmarks.get(consumer_key);
    if (node === undefined) return [];
    const known = (sources ?? []).flatMap((key) => states[from]?.landmarks.get(key) ?? []);
    return [{ producer: from, from: known.length > 0 ? known : undefined, consumer: to, to: node }];
  });
}
