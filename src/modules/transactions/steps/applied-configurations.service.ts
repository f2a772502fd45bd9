import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Configurations } from '../../configurations/index.js';
import { ConfigurationAccesses } from '../conflicts/configuration-accesses.store.js';
import type { ApplyMode } from '../dto/transaction-step.dto.js';
import { TransactionEntries } from '../log/transaction-entries.queries.js';
import { RevisionsService } from '../revisions/revisions.service.js';

/** Makes the configuration of transactions the applied one of their states. */
@Injectable()
export class AppliedConfigurations {
  constructor(
    private readonly work: UnitOfWork,
    private readonly entries: TransactionEntries,
    private readonly configurations: Configurations,
    private readonly accesses: ConfigurationAccesses,
    private readonly revisions: RevisionsService,
  ) {}

  /** Records the configuration that was applied, so that the next plan knows what changed. */
  async apply(txIds: readonly string[], stateId: string, replace: ApplyMode): Promise<void> {
    const isWhole = replace !== 'delta';
    if (isWhole) await this.configurations.clear(stateId);
    this.work.afterCommit(() => this.revisions.prepareHash(stateId));
    const entries = await this.entries.configurations(txIds, stateId);
    const recorded = isWhole ? txIds : await this.revisions.recordedBy(txIds, stateId);
    for (const txId of new Set([...entries.keys(), ...recorded])) {
      const own = entries.get(txId) ?? [];
      await this.configurations.apply(stateId, own);
      const removed = own
        .filter(({ action }) => action.endsWith('_delete'))
        .flatMap(({ nodeId }) => nodeId ?? []);
      await this.revisions.apply(txId, stateId, removed, { all: isWhole });
    }
  }

  /** The transactions are applied by the database transaction at hand. */
  async markApplied(txIds: readonly string[]): Promise<void> {
    await this.accesses.applied(txIds);
  }
}
