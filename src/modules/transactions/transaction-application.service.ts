import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { AppError } from '../../platform/errors/index.js';
import { type Owner, readContent } from '../documents/index.js';
import { type StateEdit, StateEditor, stateErrors } from '../states/index.js';
import { HandlesTask, type TaskRun } from '../tasks/index.js';
import { Configurations } from '../configurations/index.js';
import { checkText, type LoggedContent } from './logged-content.rules.js';
import { reportedEdit } from './reported-edit.rules.js';
import { RevisionsService } from './revisions.service.js';
import { TransactionEntries } from './transaction-entries.queries.js';
import { TransactionNodes } from './transaction-nodes.store.js';
import type { ApplyPayload } from './transaction-steps.service.js';
import { transactionErrors } from './transactions.errors.js';
import { type LockedTransaction, TransactionsService } from './transactions.service.js';

const HALF_AN_HOUR_MS = 30 * 60_000;

interface Report {
  failed: boolean;
  state: string;
}

/** Puts what a transaction says, or what its runner did, into the states; all of it or nothing. */
@Injectable()
export class TransactionApplication {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly transactions: TransactionsService,
    private readonly entries: TransactionEntries,
    private readonly nodes: TransactionNodes,
    private readonly editor: StateEditor,
    private readonly configurations: Configurations,
    private readonly revisions: RevisionsService,
  ) {}

  @HandlesTask('apply-transaction', { timeLimitMs: HALF_AN_HOUR_MS })
  async run({ payload, createdBy }: TaskRun): Promise<unknown> {
    const { tx_id: txId, replace } = payload as unknown as ApplyPayload;
    try {
      return await this.work.run(() => this.apply(txId, replace, createdBy ?? undefined));
    } catch (error) {
      // What is certain to fail again ends the step; what the runner reported is kept, so that it can be tried again.
      if (error instanceof AppError)
        await this.work.run(() => this.transactions.move(txId, 'commit-failed', createdBy ?? undefined));
      throw error;
    }
  }

  private async apply(
    txId: string,
    replace: ApplyPayload['replace'],
    userId: string | undefined,
  ): Promise<unknown> {
    const tx = await this.transactions.lock(txId);
    if (tx.state === 'committed') return undefined;
    if (tx.state !== 'committing' && tx.state !== 'failed-committed') throw transactionErrors.TX_NOT_ACTIVE();
    const stateIds = await this.nodes.lockStates(txId);
    const [report] = await this.work.query<Report>(
      'SELECT failed, state FROM transaction_reports WHERE tx_id = $1',
      [txId],
    );
    if (!report) {
      const others = await this.nodes.conflicts(txId);
      if (others.length > 0) throw stateErrors.TX_CONFLICT(others.join(','));
    }
    const runId = this.secrets.uuid();
    const results: { state_id: string; serial: number }[] = [];
    for (const stateId of replace === 'hcl' ? [] : stateIds) {
      const state = await this.editor.lock(stateId);
      const owner = { stateId, tenantId: tx.tenantId };
      const edits = [
        ...(report ? [await this.reported(txId, report, owner, replace)] : []),
        await this.logged(txId, owner, replace === 'overwrite' && !report),
      ];
      for (const edit of edits) {
        const outcome = await this.editor.apply(await this.editor.lock(state.id), edit, {
          txId,
          runId,
          userId,
        });
        if (outcome) results.push({ state_id: stateId, serial: outcome.serial });
      }
    }
    // A run that failed changed what it changed; the configuration was not applied, and is planned again.
    if (report?.failed) {
      await this.transactions.move(txId, 'commit-failed', userId);
      return { states: results };
    }
    for (const stateId of stateIds) await this.applyConfiguration(tx, stateId, replace);
    const trigger = tx.state === 'committing' ? 'commit-done' : 'apply-done';
    await this.transactions.move(txId, trigger, userId);
    await this.nodes.forget(txId);
    await this.work.query('DELETE FROM transaction_reports WHERE tx_id = $1', [txId]);
    return { states: results };
  }

  /** What the runner left, against what it was given; `overwrite` takes it whatever others did since. */
  private async reported(
    txId: string,
    report: Report,
    owner: Owner,
    replace: ApplyPayload['replace'],
  ): Promise<StateEdit> {
    const content = readContent(Buffer.from(report.state), owner);
    const given = await this.nodes.ofState(txId, owner.stateId);
    const others =
      replace === 'overwrite'
        ? new Map<string, string>()
        : await this.nodes.changedByOthers(txId, owner.stateId);
    const edit = reportedEdit(content, given, others);
    if ('conflictsWith' in edit) throw stateErrors.TX_CONFLICT(edit.conflictsWith.join(','));
    return edit;
  }

  private async logged(txId: string, owner: Owner, clear: boolean): Promise<StateEdit> {
    const content = await this.entries.content(txId, owner);
    const state = await this.editor.lock(owner.stateId);
    const { instances, removedResources, outputs, terraformVersion } = content;
    const named = new Set(instances.map(({ key }) => key));
    const removed =
      removedResources.size === 0
        ? []
        : [...(await this.editor.nodes(state)).values()]
            .filter(({ key, resourceAddress }) => removedResources.has(resourceAddress) && !named.has(key))
            .map(({ key, resourceAddress }) => ({
              key,
              resourceAddress,
              text: undefined,
              resource: undefined,
            }));
    return {
      instances: [...instances, ...removed],
      outputs,
      checks: await this.checks(content, owner),
      terraformVersion,
      clear,
    };
  }

  private async checks({ checks }: LoggedContent, owner: Owner): Promise<Map<string, string | undefined>> {
    const texts = new Map<string, string | undefined>();
    if (checks.size === 0) return texts;
    const current = await this.editor.checks(await this.editor.lock(owner.stateId));
    for (const [address, change] of checks)
      texts.set(address, change && checkText(current.get(address), address, change));
    return texts;
  }

  /** The configuration that was applied, by which the next plan knows what changed. */
  private async applyConfiguration(
    { id }: LockedTransaction,
    stateId: string,
    replace: ApplyPayload['replace'],
  ): Promise<void> {
    const entries = await this.entries.configuration(id, stateId);
    const isWhole = replace !== 'delta';
    if (isWhole) await this.configurations.clear(stateId);
    await this.configurations.apply(stateId, entries);
    const removed = entries
      .filter(({ action }) => action.endsWith('_delete'))
      .flatMap(({ nodeId }) => nodeId ?? []);
    await this.revisions.apply(id, stateId, removed, isWhole);
  }
}
