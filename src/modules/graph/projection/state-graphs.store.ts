import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { ConfigDependencies } from './config-dependencies.store.js';
import { buildGraph } from '../topology/dependency-graph.rules.js';
import { type Inventory, inventoryOf, statisticsOf } from './graph-statistics.rules.js';
import { InstanceCatalog } from '../topology/instance-catalog.js';
import { encodeLandmarks, type Landmarks } from '../topology/landmarks.js';
import { encodeNodes, type InstanceIdentity, NodeTable } from '../topology/node-table.js';
import { requireUuid } from '../../../platform/text/uuid.js';

type LandmarkRow = Omit<InstanceIdentity, 'index_key'> & { key: string; index_key: string | null };

/** The stored graph of each state: what depends on what, the nodes, and the numbers of the summaries. */
@Injectable()
export class StateGraphs {
  constructor(
    private readonly work: UnitOfWork,
    private readonly dependencies: ConfigDependencies,
  ) {}

  /** The instances of the stored graph; none when there is no graph. */
  async catalog(stateId: string): Promise<InstanceCatalog> {
    const stored = await this.nodes(stateId);
    return stored ? new NodeTable(stored).catalog() : new InstanceCatalog();
  }

  async store(stateId: string, version: number, catalog: InstanceCatalog): Promise<Inventory> {
    const graph = buildGraph(catalog);
    const inventory = inventoryOf(graph.nodes);
    const statistics = JSON.stringify(statisticsOf(graph, inventory));
    const nodes = encodeNodes(graph.nodes);
    const landmarks = encodeLandmarks(await this.landmarks(stateId, nodes));
    await this.work.query(
      `INSERT INTO state_graphs (state_id, version, stats, topology, nodes, landmarks) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (state_id) DO UPDATE SET version = $2, stats = $3, topology = $4, nodes = $5, landmarks = $6`,
      [stateId, version, storableJson(statistics), graph.topology.encode(), nodes, landmarks],
    );
    await this.dependencies.store(stateId, graph);
    return inventory;
  }

  /** After links or sources of outputs have changed and the graph has not. */
  async refreshLandmarks(stateId: string): Promise<void> {
    const stored = await this.nodes(stateId);
    if (!stored) return;
    const landmarks = encodeLandmarks(await this.landmarks(stateId, stored));
    await this.work.query('UPDATE state_graphs SET landmarks = $2 WHERE state_id = $1 AND landmarks <> $2', [
      stateId,
      landmarks,
    ]);
  }

  private async nodes(stateId: string): Promise<Buffer | undefined> {
    const [row] = await this.work.copyRows(
      `COPY (SELECT nodes FROM state_graphs WHERE state_id = '${requireUuid(stateId)}') TO STDOUT (FORMAT binary)`,
    );
    return row?.[0] ?? undefined;
  }

  private async landmarks(stateId: string, stored: Buffer): Promise<Landmarks> {
    const rows = await this.work.query<LandmarkRow>(
      `SELECT i.key, i.module, i.mode, i.type, i.name, i.provider, i.index_key::text, i.deposed FROM instances i
       WHERE i.state_id = $1 AND i.key IN (SELECT unnest(keys) FROM output_sources WHERE state_id = $1
                                           UNION SELECT consumer_key FROM state_links WHERE consumer_state_id = $1)`,
      [stateId],
    );
    const landmarks = new Map<string, number>();
    if (rows.length === 0) return landmarks;
    const nodes = new NodeTable(stored);
    for (const { key, index_key, ...row } of rows) {
      const index = index_key === null ? null : (JSON.parse(index_key) as string | number);
      const node = nodes.find({ ...row, index_key: index });
      if (node !== undefined) landmarks.set(key, node);
    }
    return landmarks;
  }
}

/** jsonb holds neither NUL nor lone surrogates. */
function storableJson(json: string): string {
  return json.replace(/\\u0000|\\ud[89a-f][\da-f]{2}/gi, '\\ufffd');
}
