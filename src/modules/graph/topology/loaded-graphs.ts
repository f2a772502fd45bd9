import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { UnitOfWork } from '../../../platform/database/index.js';
import { GraphTopology } from './graph-topology.js';
import { NodeTable } from './node-table.js';
import { requireUuid } from '../../../platform/text/uuid.js';

/** One version of a state's graph. */
export interface LoadedGraph {
  version: number;
  topology: GraphTopology;
  nodes: NodeTable;
}

const MAX_CACHED_NODES = 1_000_000;

/** Recently decoded graphs, for lists of instances. Any replica can load them again from the database. */
@Injectable()
export class LoadedGraphs {
  private readonly graphs = new LRUCache<string, LoadedGraph>({
    maxSize: MAX_CACHED_NODES,
    // A larger graph is cached alone.
    sizeCalculation: ({ nodes }) => Math.min(nodes.size + 1, MAX_CACHED_NODES),
  });

  constructor(private readonly work: UnitOfWork) {}

  /** The graph a state has, which is `version` unless a write came in between. */
  async find(stateId: string, version: number): Promise<LoadedGraph | undefined> {
    const known = this.graphs.get(stateId);
    if (known && known.version >= version) return known;
    const graph = await this.load(stateId);
    if (graph) this.graphs.set(stateId, graph);
    return graph;
  }

  private async load(stateId: string): Promise<LoadedGraph | undefined> {
    const [row] = await this.work.copyRows(
      `COPY (SELECT version, topology, nodes FROM state_graphs WHERE state_id = '${requireUuid(stateId)}') TO STDOUT (FORMAT binary)`,
    );
    const [version, topology, nodes] = row ?? [];
    if (!version || !topology || !nodes) return undefined;
    return {
      version: version.readInt32BE(0),
      topology: GraphTopology.decode(topology),
      nodes: new NodeTable(nodes),
    };
  }
}
