import { Injectable } from '@nestjs/common';
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

const MOST_NODES = 1_000_000;

/** Graphs decoded lately, for answering lists of instances; any replica can rebuild them from the database. */
@Injectable()
export class LoadedGraphs {
  private readonly graphs = new Map<string, LoadedGraph>();
  private nodes = 0;

  constructor(private readonly work: UnitOfWork) {}

  /** The graph a state has, which is `version` unless a write came in between. */
  async find(stateId: string, version: number): Promise<LoadedGraph | undefined> {
    const known = this.graphs.get(stateId);
    if (known && known.version >= version) {
      this.graphs.delete(stateId);
      this.graphs.set(stateId, known);
      return known;
    }
    const graph = await this.load(stateId);
    if (graph) this.store(stateId, graph);
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

  private store(stateId: string, graph: LoadedGraph): void {
    this.nodes += graph.nodes.size - (this.graphs.get(stateId)?.nodes.size ?? 0);
    this.graphs.delete(stateId);
    this.graphs.set(stateId, graph);
    for (const [oldest, { nodes }] of this.graphs) {
      if (this.nodes <= MOST_NODES || oldest === stateId) return;
      this.graphs.delete(oldest);
      this.nodes -= nodes.size;
    }
  }
}
