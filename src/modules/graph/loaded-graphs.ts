import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { StateGraphEntity } from './entities/graph.entities.js';
import { decodeNodes } from './graph.codec.js';

/** Direct dependencies by instance address, as one version of a state has them. */
export interface LoadedGraph {
  version: number;
  addresses: string[];
  /** node ordinal by instance key */
  ordinals: Map<string, number>;
  /** quadruples sorted by where the dependents begin */
  pairs: Uint32Array;
  /** largest dependent end of any quadruple up to this one */
  reach: Uint32Array;
}

const MOST_NODES = 500_000;
/** A `count` on both sides may give one instance very many dependencies. */
const MOST_DEPENDENCIES = 10_000;

/** Graphs decoded lately, for answering lists of instances; any replica can rebuild them from the database. */
@Injectable()
export class LoadedGraphs {
  private readonly graphs = new Map<string, LoadedGraph>();
  private nodes = 0;

  constructor(private readonly work: UnitOfWork) {}

  /** Addresses of the instances each key directly depends on. */
  async dependenciesOf(stateId: string, keys: readonly string[]): Promise<Map<string, string[]>> {
    const graph = await this.load(stateId);
    return new Map(keys.map((key) => [key, graph ? dependencies(graph, graph.ordinals.get(key)) : []]));
  }

  private async load(stateId: string): Promise<LoadedGraph | undefined> {
    const [current] = await this.work.query<{ version: number }>(
      'SELECT version FROM state_graphs WHERE state_id = $1',
      [stateId],
    );
    if (!current) return undefined;
    const known = this.graphs.get(stateId);
    if (known?.version === current.version) {
      this.graphs.delete(stateId);
      this.graphs.set(stateId, known);
      return known;
    }
    const stored = await this.work.manager.findOneBy(StateGraphEntity, { stateId });
    if (!stored) return undefined;
    const graph = loaded(stored);
    this.keep(stateId, graph);
    return graph;
  }

  private keep(stateId: string, graph: LoadedGraph): void {
    this.nodes += graph.addresses.length - (this.graphs.get(stateId)?.addresses.length ?? 0);
    this.graphs.delete(stateId);
    this.graphs.set(stateId, graph);
    for (const [oldest, { addresses }] of this.graphs) {
      if (this.nodes <= MOST_NODES || oldest === stateId) return;
      this.graphs.delete(oldest);
      this.nodes -= addresses.length;
    }
  }
}

function loaded(stored: StateGraphEntity): LoadedGraph {
  const nodes = decodeNodes(stored.nodes);
  const bytes = Buffer.from(Uint8Array.from(stored.pairs).buffer);
  const words = new Uint32Array(bytes.buffer, 0, bytes.byteLength >> 2);
  const singles = words[0] ?? 0;
  const quadruples: [number, number, number, number][] = [];
  for (let i = 0; i < singles; i++) {
    const [from, to] = [words[1 + i] as number, words[1 + singles + i] as number];
    quadruples.push([from, from + 1, to, to + 1]);
  }
  for (let at = 1 + singles * 2; at < words.length; at += 4) {
    quadruples.push([words[at], words[at + 1], words[at + 2], words[at + 3]] as [
      number,
      number,
      number,
      number,
    ]);
  }
  quadruples.sort((a, b) => a[2] - b[2]);
  const reach = new Uint32Array(quadruples.length);
  quadruples.forEach(([, , , to], index) => (reach[index] = Math.max(to, reach[index - 1] ?? 0)));
  return {
    version: stored.version,
    addresses: nodes.map((node) => node.address),
    ordinals: new Map(nodes.map((node, index) => [node.key, index])),
    pairs: Uint32Array.from(quadruples.flat()),
    reach,
  };
}

function dependencies({ pairs, reach, addresses }: LoadedGraph, node: number | undefined): string[] {
  if (node === undefined) return [];
  let low = 0;
  let high = reach.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pairs[middle * 4 + 2] as number) <= node) low = middle + 1;
    else high = middle;
  }
  const found: string[] = [];
  for (let i = low - 1; i >= 0 && (reach[i] as number) > node; i--) {
    if ((pairs[i * 4 + 3] as number) <= node) continue;
    for (
      let from = pairs[i * 4] as number;
      from < (pairs[i * 4 + 1] as number) && found.length < MOST_DEPENDENCIES;
      from++
    ) {
      found.push(addresses[from] as string);
    }
  }
  return found.sort();
}
