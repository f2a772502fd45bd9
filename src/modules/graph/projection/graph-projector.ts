import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import type { InstanceMeta } from '../../documents/index.js';
import { type InstanceBatch, StateWritten } from '../../states/index.js';
import { InstanceCatalog } from '../topology/instance-catalog.js';
import { InstanceHistory } from './instance-history.store.js';
import { InstanceRows } from './instance-rows.js';
import { InventoryRows, TouchedInventory } from './inventory-rows.js';
import { OutputSources } from './output-sources.store.js';
import { StateGraphs } from './state-graphs.store.js';
import { StateLinks } from './state-links.store.js';

/** Rows of every table that the state's projection fills, but for links, which name the consumer. */
const TABLES = [
  'instances',
  'resources',
  'modules',
  'providers',
  'outputs',
  'output_sources',
  'check_results',
  'config_dependencies',
  'state_graphs',
];

/** Turns the change set of a new version into rows, inside the writer's transaction. */
@Injectable()
export class GraphProjector {
  constructor(
    private readonly work: UnitOfWork,
    private readonly instances: InstanceRows,
    private readonly inventory: InventoryRows,
    private readonly graphs: StateGraphs,
    private readonly links: StateLinks,
    private readonly sources: OutputSources,
    private readonly history: InstanceHistory,
  ) {}

  @HandlesEvent(StateWritten)
  async project(written: StateWritten): Promise<void> {
    const { stateId, outputs, checkResults } = written;
    await this.history.begin(written.version);
    if (written.reset || written.graphError !== undefined) await this.clear(written);
    if (written.graphError !== undefined) return;
    const changes = new CollectedChanges(written.topologyChanged);
    const catalog = written.reset
      ? await this.importAll(written, changes)
      : await this.apply(written, changes);
    if (outputs) await this.inventory.writeOutputs(stateId, outputs);
    if (checkResults) await this.inventory.writeCheckResults(stateId, checkResults);
    await this.links.update(stateId, changes.remoteStates, changes.removedKeys);
    const moved = await this.sources.update(stateId, outputs, changes.removedKeys);
    if (catalog) await this.rebuild(written, catalog, changes);
    else if (moved || changes.remoteStates.length > 0) await this.graphs.refreshLandmarks(stateId);
  }

  private async importAll(written: StateWritten, changes: CollectedChanges): Promise<InstanceCatalog> {
    const catalog = new InstanceCatalog();
    await this.instances.copyAll(written.batches(), ({ added }) => {
      for (const meta of added) catalog.add(meta);
      changes.remember(added);
    });
    await this.history.reopenUnchanged(written.stateId, written.version);
    return catalog;
  }

  /** The instances as they are now, when what depends on what may have changed. */
  private async apply(
    written: StateWritten,
    changes: CollectedChanges,
  ): Promise<InstanceCatalog | undefined> {
    for await (const batch of written.batches()) {
      await this.instances.replace(written.stateId, batch);
      changes.collect(batch);
    }
    if (!written.topologyChanged) return undefined;
    const catalog = await this.graphs.catalog(written.stateId);
    catalog.remove(changes.before);
    for (const meta of changes.after) catalog.add(meta);
    return catalog;
  }

  private async rebuild(
    written: StateWritten,
    catalog: InstanceCatalog,
    changes: CollectedChanges,
  ): Promise<void> {
    const inventory = await this.graphs.store(written.stateId, written.version, catalog);
    if (written.reset) await this.inventory.writeAll(written.stateId, inventory);
    else await this.inventory.writeTouched(written.stateId, changes.touched, inventory);
  }

  private async clear({ stateId }: StateWritten): Promise<void> {
    for (const table of TABLES) await this.work.query(`DELETE FROM ${table} WHERE state_id = $1`, [stateId]);
    await this.work.query('DELETE FROM state_links WHERE consumer_state_id = $1', [stateId]);
  }
}

/** What the batches of one change set did, without attributes. */
class CollectedChanges {
  readonly before: InstanceMeta[] = [];
  readonly after: InstanceMeta[] = [];
  readonly removedKeys: string[] = [];
  readonly remoteStates: InstanceMeta[] = [];
  readonly touched = new TouchedInventory();

  constructor(private readonly topologyChanged: boolean) {}

  collect({ removed, changed, added }: InstanceBatch): void {
    for (const meta of removed) this.removedKeys.push(meta.key);
    const after = [...added, ...changed.map((change) => change.after)];
    this.remember(after);
    if (!this.topologyChanged) return;
    const before = [...removed, ...changed.map((change) => change.before)];
    this.before.push(...before);
    this.after.push(...after);
    this.touched.add(before);
    this.touched.add(after);
  }

  remember(written: readonly InstanceMeta[]): void {
    for (const meta of written)
      if (meta.mode === 'data' && meta.type === 'terraform_remote_state') this.remoteStates.push(meta);
  }
}
