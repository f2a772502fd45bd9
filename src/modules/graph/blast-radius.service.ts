import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { AccessDecisions, type Principal } from '../access/index.js';
import { blastRadius, type Hit, type LinkEdge } from './blast-radius.rules.js';
import type { BlastRadiusEntryView, BlastRadiusView } from './dto/graph.dto.js';
import { RangePairs } from './graph.codec.js';
import { graphErrors } from './graph.errors.js';

interface ReachableState {
  id: string;
  name: string;
  tenant_id: string;
}

interface LinkRow {
  producer: string;
  consumer: string;
  producer_nodes: number[] | null;
  consumer_node: number;
}

interface HitRow {
  state_id: string;
  node: number;
  address: string;
  resource_address: string;
  index_key: string | number | null;
}

/** What a change of one instance may reach, in its state and in those that read it. */
@Injectable()
export class BlastRadiusService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
  ) {}

  async of(caller: Principal, stateId: string, address: string): Promise<BlastRadiusView> {
    const seed = await this.seed(stateId, address);
    const states = await this.reachable(stateId);
    const ids = [...states.keys()];
    const [graphs, links] = [await this.graphs(ids), await this.links(ids)];
    const sizes = new Map([...graphs].map(([id, graph]) => [id, graph.size]));
    const hits = blastRadius(
      { stateId, node: seed },
      sizes,
      (id) => (graphs.has(id) ? new RangePairs(graphs.get(id)?.pairs ?? Buffer.alloc(4)) : undefined),
      links,
    );
    const isVisible = (hit: Hit) => {
      const state = states.get(hit.stateId);
      return state !== undefined && this.access.isMember(caller, state.tenant_id);
    };
    const visible = hits.filter(isVisible);
    const hidden = hits.filter((hit) => !isVisible(hit));
    return {
      results: await this.entries(visible, states),
      hidden_states: new Set(hidden.map((hit) => hit.stateId)).size,
      hidden_instances: hidden.length,
    };
  }

  /** Ordinal of the instance; a live object stands before a deposed one of the same address. */
  private async seed(stateId: string, address: string): Promise<number> {
    const [row] = await this.work.query<{ node: number }>(
      `SELECT (position(uuid_send(i.key) IN g.keys) - 1) / 16 AS node FROM instances i JOIN state_graphs g ON g.state_id = i.state_id
       WHERE i.state_id = $1 AND left(i.address, 512) COLLATE "C" = left($2, 512) AND i.address = $2 ORDER BY i.deposed NULLS FIRST LIMIT 1`,
      [stateId, address],
    );
    if (!row) throw graphErrors.INSTANCE_NOT_FOUND();
    return row.node;
  }

  /** The state and all that read it, directly or through others. */
  private async reachable(stateId: string): Promise<Map<string, ReachableState>> {
    const rows = await this.work.query<ReachableState>(
      `WITH RECURSIVE reached (id) AS (
         SELECT $1::uuid
         UNION
         SELECT l.consumer_state_id FROM reached r JOIN states p ON p.id = r.id
           JOIN state_links l ON l.group_id = p.group_id AND l.workspace = p.workspace)
       SELECT s.id, s.name, s.tenant_id FROM reached r JOIN states s ON s.id = r.id`,
      [stateId],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  private async graphs(ids: readonly string[]): Promise<Map<string, { pairs: Buffer; size: number }>> {
    const list = ids.map((id) => `'${hexOnly(id)}'`).join(',');
    const rows = await this.work.copyRows(
      `COPY (SELECT state_id, pairs, length(keys) / 16 FROM state_graphs WHERE state_id IN (${list})) TO STDOUT (FORMAT binary)`,
    );
    const graphs = new Map<string, { pairs: Buffer; size: number }>();
    for (const [id, pairs, size] of rows)
      if (id && pairs && size) graphs.set(uuidText(id), { pairs, size: size.readInt32BE(0) });
    return graphs;
  }

  private async links(ids: readonly string[]): Promise<LinkEdge[]> {
    if (ids.length < 2 && !(await this.readsItself(ids[0]))) return [];
    const rows = await this.work.query<LinkRow>(
      `SELECT p.id AS producer, l.consumer_state_id AS consumer, (position(uuid_send(l.consumer_key) IN cg.keys) - 1) / 16 AS consumer_node,
         CASE WHEN l.producer_keys IS NULL THEN NULL ELSE
           (SELECT array_agg((position(uuid_send(k) IN pg.keys) - 1) / 16) FROM unnest(l.producer_keys) k WHERE position(uuid_send(k) IN pg.keys) > 0) END AS producer_nodes
       FROM state_links l JOIN states p ON p.group_id = l.group_id AND p.workspace = l.workspace
         JOIN state_graphs cg ON cg.state_id = l.consumer_state_id JOIN state_graphs pg ON pg.state_id = p.id
       WHERE p.id = ANY($1::uuid[])`,
      [ids],
    );
    // Instances that are gone feed nothing any more: then it may be any.
    return rows.map((row) => ({
      producer: row.producer,
      from: row.producer_nodes ?? undefined,
      consumer: row.consumer,
      to: row.consumer_node,
    }));
  }

  private async readsItself(id: string | undefined): Promise<boolean> {
    const rows = await this.work.query('SELECT 1 FROM state_links WHERE consumer_state_id = $1 LIMIT 1', [
      id,
    ]);
    return rows.length > 0;
  }

  private async entries(
    hits: readonly Hit[],
    states: ReadonlyMap<string, ReachableState>,
  ): Promise<BlastRadiusEntryView[]> {
    const rows = await this.work.query<HitRow>(
      `SELECT h.state_id, h.node, i.address, i.resource_address, i.index_key
       FROM unnest($1::uuid[], $2::int[]) AS h (state_id, node) JOIN state_graphs g ON g.state_id = h.state_id
         JOIN instances i ON i.state_id = h.state_id AND i.key = encode(substr(g.keys, h.node * 16 + 1, 16), 'hex')::uuid`,
      [hits.map((hit) => hit.stateId), hits.map((hit) => hit.node)],
    );
    const named = new Map(rows.map((row) => [`${row.state_id} ${row.node}`, row]));
    const entries = hits.flatMap(({ stateId, node, distance }) => {
      const row = named.get(`${stateId} ${node}`);
      if (!row) return [];
      const entry: BlastRadiusEntryView = {
        address: row.address,
        resource_address: row.resource_address,
        direction: distance === 0 ? 'seed' : 'blast',
        distance,
        ...(row.index_key === null ? {} : { index: row.index_key }),
        state_id: stateId,
        state_name: states.get(stateId)?.name ?? '',
      };
      return [entry];
    });
    return entries.sort(
      (a, b) =>
        a.distance - b.distance ||
        compare(a.state_name, b.state_name) ||
        compare(a.state_id, b.state_id) ||
        compare(a.address, b.address),
    );
  }
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Only what can be a uuid gets into a statement. */
function hexOnly(id: string): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('not a uuid');
  return id;
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
