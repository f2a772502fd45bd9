import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import type { InstanceMeta } from '../documents/index.js';
import { StateWritten } from '../states/index.js';
import { buildGraph, type DependencyGraph } from './dependency-graph.rules.js';
import { StateGraphEntity } from './entities/graph.entities.js';
import { decodeNodes, encodeGraph } from './graph.codec.js';
import { inventoryOf, statisticsOf } from './graph-statistics.rules.js';
import { InstanceRows } from './instance-rows.js';
import { InventoryRows } from './inventory-rows.js';
import { StateLinks } from './state-links.store.js';

const NOTHING = inventoryOf([]);
/** In this order: rows of every table that the state's projection fills. */
const TABLES = ['instances', 'resources', 'modules', 'providers', 'outputs', 'check_results', 'state_graphs'];

/** Turns the change set of a new version into rows, inside the writer's transaction. */
@Injectable()
export class GraphProjector {
  constructor(
    private readonly work: UnitOfWork,
    private readonly instances: InstanceRows,
    private readonly inventory: InventoryRows,
    private readonly links: StateLinks,
  ) {}

  @HandlesEvent(StateWritten)
  async project(written: StateWritten): Promise<void> {
    if (written.reset || written.graphError !== undefined) await this.clear(written);
    if (written.graphError !== undefined) return;
    const changes = written.reset ? await this.importAll(written) : await this.applyBatches(written);
    if (written.topologyChanged) await this.rebuild(written, changes);
    if (written.outputs) await this.inventory.writeOutputs(written.stateId, written.outputs);
    if (written.checkResults) await this.inventory.writeCheckResults(written.stateId, written.checkResults);
    await this.links.update(written.stateId, changes.remoteStates, written.reset ? [] : [...changes.removed]);
    if (written.outputs) await this.links.refreshProducer(written.stateId);
  }

  private async clear({ stateId, version }: StateWritten): Promise<void> {
    if (version === 1) return;
    for (const table of TABLES) await this.work.query(`DELETE FROM ${table} WHERE state_id = $1`, [stateId]);
    await this.work.query('DELETE FROM state_links WHERE consumer_state_id = $1', [stateId]);
  }

  private async importAll(written: StateWritten): Promise<CollectedChanges> {
    const changes = new CollectedChanges();
    await this.instances.copyAll(written.batches(), (batch) => changes.written(batch.added));
    return changes;
  }

  private async applyBatches(written: StateWritten): Promise<CollectedChanges> {
    const changes = new CollectedChanges();
    for await (const batch of written.batches()) {
      await this.instances.replace(written.stateId, batch);
      for (const meta of batch.removed) changes.removed.add(meta.key);
      changes.written(batch.added);
      changes.written(batch.changed.map((change) => change.after));
    }
    return changes;
  }

  private async rebuild({ stateId, version, reset }: StateWritten, changes: CollectedChanges): Promise<void> {
    const stored = reset ? null : await this.work.manager.findOneBy(StateGraphEntity, { stateId });
    const before = stored ? decodeNodes(stored.nodes) : [];
    const kept = before.filter((node) => !changes.removed.has(node.key) && !changes.latest.has(node.key));
    const graph = buildGraph([...kept, ...changes.latest.values()]);
    const after = inventoryOf(graph.nodes);
    await this.inventory.write(stateId, stored ? inventoryOf(before) : NOTHING, after);
    await this.store(stateId, version, graph, JSON.stringify(statisticsOf(graph, after)));
  }

  private async store(
    stateId: string,
    version: number,
    graph: DependencyGraph,
    stats: string,
  ): Promise<void> {
    const { pairs, keys, nodes } = encodeGraph(graph);
    await this.work.query(
      `INSERT INTO state_graphs (state_id, version, stats, pairs, keys, nodes) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (state_id) DO UPDATE SET version = $2, stats = $3, pairs = $4, keys = $5, nodes = $6`,
      [stateId, version, stats.replaceAll('\\u0000', '\\ufffd'), pairs, keys, nodes],
    );
  }
}

/** What the batches of one change set did, without attributes. */
class CollectedChanges {
  readonly removed = new Set<string>();
  readonly latest = new Map<string, InstanceMeta>();
  readonly remoteStates: InstanceMeta[] = [];
  private readonly texts = new Map<string, string>();
  private readonly lists = new Map<string, string[]>();

  written(metas: readonly InstanceMeta[]): void {
    for (const meta of metas) {
      this.latest.set(meta.key, this.shared(meta));
      if (meta.mode === 'data' && meta.type === 'terraform_remote_state') this.remoteStates.push(meta);
    }
  }

  /** A large import brings the same names and lists of dependencies again and again: each is held once. */
  private shared(meta: InstanceMeta): InstanceMeta {
    const {
      key,
      address,
      resourceAddress,
      mode,
      type,
      name,
      module,
      provider,
      indexKey,
      deposed,
      dependencies,
    } = meta;
    const resource = this.text(resourceAddress);
    return {
      key,
      address: address === resource ? resource : address,
      resourceAddress: resource,
      mode: this.text(mode),
      type: this.text(type),
      name: this.text(name),
      provider: this.text(provider),
      dependencies: this.list(dependencies),
      ...(module === undefined ? {} : { module: this.text(module) }),
      ...(indexKey === undefined ? {} : { indexKey }),
      ...(deposed === undefined ? {} : { deposed }),
    };
  }

  private text(value: string): string {
    const known = this.texts.get(value);
    if (known === undefined) this.texts.set(value, value);
    return known ?? value;
  }

  private list(values: string[]): string[] {
    const name = values.join('\0');
    const known = this.lists.get(name);
    if (known) return known;
    const list = values.map((value) => this.text(value));
    this.lists.set(name, list);
    return list;
  }
}
