import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { storableText } from '../../platform/database/storable-text.js';
import { acceptableJson, keyOf } from '../documents/index.js';
import type { Edge, EdgeKind } from './configuration-edge.js';
import { shapeOf } from './configuration-graph.rules.js';
import type { ConfigurationNode } from './configuration-node.rules.js';
import { sensitiveVariablesIn } from './sensitive-variables.js';

interface NodeRow {
  id: string;
  kind: ConfigurationNode['kind'];
  address: string;
  module: string;
  file: string;
  data: string;
  hash: string;
  start_line: number | null;
  end_line: number | null;
}

const COLUMNS = 'node AS id, kind, address, module, file, data::text AS data, hash, start_line, end_line';
const BATCH = 5_000;
export const EDGE_CODES: Readonly<Record<EdgeKind, string>> = { affects: 'a', needs: 'n', inherits: 'i' };

/** The stored configuration of states, node by node. */
@Injectable()
export class ConfigurationStore {
  constructor(private readonly work: UnitOfWork) {}

  async isEmpty(stateId: string): Promise<boolean> {
    const rows = await this.work.query('SELECT FROM state_configuration WHERE state_id = $1 LIMIT 1', [
      stateId,
    ]);
    return rows.length === 0;
  }

  async all(stateId: string): Promise<ConfigurationNode[]> {
    const rows = await this.work.query<NodeRow>(
      `SELECT ${COLUMNS} FROM state_configuration WHERE state_id = $1`,
      [stateId],
    );
    return rows.map(toNode);
  }

  async ofKeys(stateId: string, keys: readonly string[]): Promise<ConfigurationNode[]> {
    if (keys.length === 0) return [];
    const rows = await this.work.query<NodeRow>(
      `SELECT ${COLUMNS} FROM state_configuration WHERE state_id = $1 AND key = ANY($2::uuid[])`,
      [stateId, keys],
    );
    return rows.map(toNode);
  }

  /** Where the blocks of these keys stand, as far as that is known; the lists go together item by item. */
  async sources(
    stateIds: readonly string[],
    keys: readonly string[],
  ): Promise<
    { state_id: string; key: string; file: string; start_line: number | null; end_line: number | null }[]
  > {
    return this.work.query(
      `SELECT c.state_id, c.key, c.file, c.start_line, c.end_line
       FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) w (state_id, key)) w
       JOIN state_configuration c ON c.state_id = w.state_id AND c.key = w.key WHERE c.kind = 'hcl' AND c.file <> ''`,
      [stateIds, keys],
    );
  }

  /** Names of the variables of these states' configurations that are marked. */
  async sensitiveVariables(stateIds: readonly string[]): Promise<string[]> {
    const rows = await this.work.query<{ name: string }>(
      `SELECT DISTINCT ${sensitiveVariablesIn('data')} AS name FROM state_configuration
       WHERE state_id = ANY($1::uuid[]) AND kind = 'hcl' AND data ? 'variable'`,
      [stateIds],
    );
    return rows.map(({ name }) => name);
  }

  async count(stateId: string, keys: readonly string[]): Promise<number> {
    const [row] = await this.work.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM state_configuration WHERE state_id = $1 AND key = ANY($2::uuid[])',
      [stateId, keys],
    );
    return row?.n ?? 0;
  }

  /** No block has the empty hash. */
  async forgetHashes(stateId: string, keys: readonly string[]): Promise<string[]> {
    if (keys.length === 0) return [];
    const rows = await this.work.query<{ node: string }>(
      `WITH doubted AS (UPDATE state_configuration SET hash = '' WHERE state_id = $1 AND key = ANY($2::uuid[]) RETURNING node)
       SELECT node FROM doubted`,
      [stateId, keys],
    );
    return rows.map(({ node }) => node);
  }

  async clear(stateId: string): Promise<void> {
    await this.work.query('DELETE FROM configuration_edges WHERE state_id = $1', [stateId]);
    await this.work.query('DELETE FROM state_configuration WHERE state_id = $1', [stateId]);
  }

  async remove(stateId: string, ids: readonly string[]): Promise<void> {
    const keys = ids.map((id) => keyOf(id));
    await this.work.query('DELETE FROM configuration_edges WHERE state_id = $1 AND owner = ANY($2::uuid[])', [
      stateId,
      keys,
    ]);
    await this.work.query('DELETE FROM state_configuration WHERE state_id = $1 AND key = ANY($2::uuid[])', [
      stateId,
      keys,
    ]);
  }

  /** Nodes that the state does not have. */
  async insert(stateId: string, nodes: readonly ConfigurationNode[]): Promise<void> {
    for (let at = 0; at < nodes.length; at += BATCH)
      await this.insertNodes(stateId, nodes.slice(at, at + BATCH));
    const edges = nodes.flatMap((node) =>
      distinct(shapeOf(node).edges).map((edge) => ({ owner: node.id, ...edge })),
    );
    for (let at = 0; at < edges.length; at += BATCH)
      await this.insertEdges(stateId, edges.slice(at, at + BATCH));
  }

  private async insertNodes(stateId: string, nodes: readonly ConfigurationNode[]): Promise<void> {
    await this.work.query(
      `INSERT INTO state_configuration (state_id, key, node, kind, address, module, file, data, hash, start_line, end_line)
       SELECT $1, k, n, t, a, m, f, d::jsonb, h, s, e
       FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::int[], $11::int[])
         AS r (k, n, t, a, m, f, d, h, s, e)`,
      [
        stateId,
        nodes.map((node) => keyOf(node.id)),
        nodes.map((node) => storableText(node.id)),
        nodes.map((node) => node.kind),
        nodes.map((node) => storableText(node.address)),
        nodes.map((node) => storableText(node.module)),
        nodes.map((node) => storableText(node.file)),
        nodes.map((node) => acceptableJson(node.data)),
        nodes.map((node) => node.hash),
        nodes.map((node) => node.startLine ?? null),
        nodes.map((node) => node.endLine ?? null),
      ],
    );
  }

  private async insertEdges(stateId: string, edges: readonly (Edge & { owner: string })[]): Promise<void> {
    await this.work.query(
      `INSERT INTO configuration_edges (state_id, owner, source, target, kind)
       SELECT $1, o, s, t, k::"char" FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) AS r (o, s, t, k)`,
      [
        stateId,
        edges.map((edge) => keyOf(edge.owner)),
        edges.map((edge) => keyOf(edge.source)),
        edges.map((edge) => keyOf(edge.target)),
        edges.map((edge) => EDGE_CODES[edge.kind]),
      ],
    );
  }
}

function distinct(edges: readonly Edge[]): Edge[] {
  return [
    ...new Map(edges.map((edge) => [JSON.stringify([edge.source, edge.target, edge.kind]), edge])).values(),
  ];
}

function toNode({ start_line: start, end_line: end, ...row }: NodeRow): ConfigurationNode {
  return {
    ...row,
    ...(start === null ? {} : { startLine: start }),
    ...(end === null ? {} : { endLine: end }),
  };
}
