import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { type Owner, readContent } from '../../documents/index.js';
import { type StateEdit, StateEditor, stateErrors } from '../../states/index.js';
import { HandlesTask, type TaskRun, Tasks } from '../../tasks/index.js';
import { AppliedConfigurations } from './applied-configurations.service.js';
import { LoggedEdits } from '../log/logged-edits.service.js';
import { reportedEdit } from './reported-edit.rules.js';
import { TransactionNodes } from '../conflicts/transaction-nodes.store.js';
import type { ApplyPayload } from './apply-steps.service.js';
import { transactionErrors } from '../transactions.errors.js';
import { TransactionsService } from '../transactions.service.js';
import { Turns } from './turns.js';
import { TransactionReportEntity } from '../entities/transaction-plan.entity.js';

const HALF_AN_HOUR_MS = 30 * 60_000;
/** Transactions that become one version. */
const MAX_BATCH_SIZE = 64;

interface Report {
  failed: boolean;
  state: string;
}

/** A transaction that waits to be applied: who asked for it, and by which task. */
interface Companion {
  id: string;
  userId: string | undefined;
  taskId: string;
}

interface Applied {
  states: { state_id: string; serial: number }[];
}

/**
 * Writes what a transaction logged, or what its runner did, into the states; all of it or nothing. Transactions that wait
 * for the same state become one version: their commits began only because they are disjoint.
 */
@Injectable()
export class TransactionApplication {
  /** Tasks of this process that wait for the same state's row wait here, without a connection. */
  private readonly turns = new Turns();

  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly transactions: TransactionsService,
    private readonly nodes: TransactionNodes,
    private readonly edits: LoggedEdits,
    private readonly editor: StateEditor,
    private readonly configurations: AppliedConfigurations,
    private readonly tasks: Tasks,
  ) {}

  /** The task ends in the same database transaction, so that an aborted task has no effect. */
  @HandlesTask('apply-transaction', { timeLimitMs: HALF_AN_HOUR_MS })
  async run(run: TaskRun): Promise<unknown> {
    const { tx_id: txId } = run.payload as unknown as ApplyPayload;
    const [stateId = txId] = await this.nodes.stateIds(txId);
    try {
      await this.turns.take(stateId, () => this.work.run(() => this.apply(run)));
    } catch (error) {
      // The next attempt finds only the companions that are not aborted.
      if (error instanceof CompanionGone) return this.run(run);
      // A refusal would be repeated, so it ends the step. The report stays stored for another attempt.
      if (error instanceof AppError)
        await this.work.run(() => this.transactions.move(txId, 'commit-failed', run.createdBy ?? undefined));
      throw error;
    }
    return undefined;
  }

  private async apply(run: TaskRun): Promise<void> {
    const { tx_id: txId, replace } = run.payload as unknown as ApplyPayload;
    const userId = run.createdBy ?? undefined;
    // States before the transaction, here and wherever both are locked.
    const stateIds = await this.nodes.lockStates(txId);
    const tx = await this.transactions.lock(txId);
    run.signal.throwIfAborted();
    if (tx.state === 'committed') return;
    if (tx.state !== 'committing' && tx.state !== 'failed-committed') throw transactionErrors.TX_NOT_ACTIVE();
    const [report] = await this.work.query<Report>(
      'SELECT failed, state FROM transaction_reports WHERE tx_id = $1',
      [txId],
    );
    if (report) return run.complete(await this.applyReport(tx, stateIds, { report, replace, userId }));
    const [stateId, other] = stateIds;
    const isAlone = replace !== 'delta' || stateId === undefined || other !== undefined;
    const waiting = isAlone ? [] : await this.companions(txId, stateId);
    const conflicts = await this.nodes.conflicts([txId, ...waiting.map(({ id }) => id)]);
    const own = conflicts.get(txId);
    if (own) throw stateErrors.TX_CONFLICT(own.join(','));
    const companions = waiting.filter(({ id }) => !conflicts.has(id));
    const members = [{ id: txId, userId }, ...companions];
    const txIds = members.map(({ id }) => id);
    const states: Applied['states'] = [];
    for (const id of replace === 'hcl' ? [] : stateIds) {
      const owner = { stateId: id, tenantId: tx.tenantId };
      const { edit, txOf } = await this.edits.findEdits(txIds, owner, { clear: replace === 'overwrite' });
      states.push(...(await this.edit(id, edit, { txId, txOf, userId })));
    }
    for (const id of stateIds) await this.configurations.apply(txIds, id, replace);
    await this.endCommitted(members);
    await run.complete({ states } satisfies Applied);
    if (companions.length === 0) return;
    const theirTasks = companions.map(({ taskId }) => taskId);
    if (theirTasks.length > (await this.tasks.completeAll(theirTasks, { states }))) throw new CompanionGone();
  }

  private async applyReport(
    tx: { id: string; tenantId: string },
    stateIds: readonly string[],
    {
      report,
      replace,
      userId,
    }: { report: Report; replace: ApplyPayload['replace']; userId: string | undefined },
  ): Promise<Applied> {
    const states: Applied['states'] = [];
    if (stateIds.length === 0 && hasInstances(report.state, tx))
      throw stateErrors.STATE_NOT_FOUND('the state was deleted meanwhile');
    for (const stateId of stateIds) {
      const owner = { stateId, tenantId: tx.tenantId };
      const by = { txId: tx.id, userId };
      states.push(...(await this.edit(stateId, await this.reported(tx.id, report, owner, replace), by)));
      const { edit } = await this.edits.findEdits([tx.id], owner, { clear: false });
      states.push(...(await this.edit(stateId, edit, by)));
    }
    // A failed run may have changed some infrastructure. Its configuration was not applied, and is planned again.
    if (report.failed) {
      await this.transactions.move(tx.id, 'commit-failed', userId);
      return { states };
    }
    for (const stateId of stateIds) await this.configurations.apply([tx.id], stateId, replace);
    await this.endCommitted([{ id: tx.id, userId }]);
    await this.work.manager.delete(TransactionReportEntity, { txId: tx.id });
    return { states };
  }

  private async edit(
    stateId: string,
    edit: StateEdit,
    by: { txId: string; userId: string | undefined; txOf?: ReadonlyMap<string, string> },
  ): Promise<Applied['states']> {
    const state = await this.editor.lock(stateId);
    const outcome = await this.editor.apply(state, edit, { ...by, runId: this.secrets.uuid() });
    return outcome ? [{ state_id: stateId, serial: outcome.serial }] : [];
  }

  /** Other transactions whose log waits to be written into this state only. */
  private async companions(txId: string, stateId: string): Promise<Companion[]> {
    const rows = await this.work.query<{ id: string; created_by: string | null; task_id: string }>(
      `SELECT t.id, k.created_by, k.id AS task_id FROM transaction_states ts JOIN transactions t ON t.id = ts.tx_id JOIN tasks k ON k.id = t.task_id
       WHERE ts.state_id = $2 AND t.id <> $1 AND t.state = 'committing' AND t.kind = 'plan'
         AND k.kind = 'apply-transaction' AND k.payload ->> 'replace' = 'delta' AND k.state IN ('pending', 'running')
         AND NOT EXISTS (SELECT FROM transaction_states o WHERE o.tx_id = t.id AND o.state_id <> $2)
         AND NOT EXISTS (SELECT FROM transaction_reports r WHERE r.tx_id = t.id)
       ORDER BY k.created_at LIMIT ${MAX_BATCH_SIZE - 1} FOR UPDATE OF t SKIP LOCKED`,
      [txId, stateId],
    );
    return rows.map((row) => ({ id: row.id, userId: row.created_by ?? undefined, taskId: row.task_id }));
  }

  /** What the runner changed of what it was given. `overwrite` accepts it whatever others did since. */
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

  private async endCommitted(members: readonly Pick<Companion, 'id' | 'userId'>[]): Promise<void> {
    for (const { id, userId } of members)
      if (!(await this.transactions.move(id, 'commit-done', userId)))
        await this.transactions.move(id, 'apply-done', userId);
    const txIds = members.map(({ id }) => id);
    await this.configurations.markApplied(txIds);
    await this.nodes.forget(txIds);
  }
}

/** A companion was aborted meanwhile. */
class CompanionGone extends Error {}

/** What there is has to be recorded somewhere. */
function hasInstances(document: string, { id, tenantId }: { id: string; tenantId: string }): boolean {
  return readContent(Buffer.from(document), { stateId: id, tenantId }).instances.size > 0;
}
