import { Injectable } from '@nestjs/common';
import { Configurations } from '../../configurations/index.js';
import { EVERYTHING, StateEditor } from '../../states/index.js';
import { ConfigurationAccesses } from './configuration-accesses.store.js';
import type { ApplyMode } from '../dto/transaction-step.dto.js';
import { TransactionEntries } from '../log/transaction-entries.queries.js';
import { TransactionNodes } from './transaction-nodes.store.js';
import { type NodeWrite } from '../log/node-write.js';

/** Works out what the log of a transaction writes, so that conflicts with others can be found. */
@Injectable()
export class TransactionWrites {
  constructor(
    private readonly entries: TransactionEntries,
    private readonly nodes: TransactionNodes,
    private readonly configurations: Configurations,
    private readonly accesses: ConfigurationAccesses,
    private readonly editor: StateEditor,
  ) {}

  /** Records what the log writes to each of its states. */
  async recordWrites(
    { id, tenantId }: { id: string; tenantId: string },
    replace: ApplyMode,
    stateIds: readonly string[],
  ): Promise<void> {
    const writes: NodeWrite[] = [];
    for (const stateId of stateIds)
      if (replace === 'overwrite') writes.push({ stateId, key: EVERYTHING, address: '*' });
      else if (replace === 'delta') writes.push(...(await this.loggedWrites(id, { stateId, tenantId })));
    await this.nodes.addWrites(id, writes);
    for (const stateId of stateIds) {
      const entries = await this.entries.configuration(id, stateId);
      const written = await this.configurations.changes(stateId, entries, { all: replace !== 'delta' });
      await this.accesses.recordAccesses(id, stateId, { read: [], written });
    }
  }

  private async loggedWrites(
    txId: string,
    owner: { stateId: string; tenantId: string },
  ): Promise<NodeWrite[]> {
    const { stateId } = owner;
    const content = await this.entries.content(txId, owner);
    const { instances, removedResources } = content;
    const writes = instances.map(({ key, address }) => ({ stateId, key, address }));
    if (removedResources.size > 0) {
      const gone = await this.editor.instancesOf(await this.editor.lock(stateId), removedResources);
      writes.push(...gone.map(({ key, address }) => ({ stateId, key, address })));
    }
    return [...writes, ...this.entries.outputWrites(content, stateId)];
  }
}
