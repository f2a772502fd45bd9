import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import type { Principal } from '../../access/index.js';
import { stateErrors } from '../../states/index.js';
import { TaskRunner, Tasks } from '../../tasks/index.js';
import { type BundleClaims, BundleTokens } from '../bundle-tokens.js';
import type { ApplyMode } from '../dto/transaction-step.dto.js';
import { TransactionEntries } from '../log/transaction-entries.queries.js';
import { LogCommits } from './log-commits.service.js';
import { TransactionNodes } from '../conflicts/transaction-nodes.store.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { TransactionWrites } from '../conflicts/transaction-writes.service.js';
import { isActive } from '../transaction-states.machine.js';
import { transactionErrors } from '../transactions.errors.js';
import { type LockedTransaction, TransactionsService } from '../transactions.service.js';

/** A step that a runner does, and what it needs for it. */
export interface BegunStep {
  taskId: string;
  token: string;
}

/** The payload of the task that applies a transaction. */
export interface ApplyPayload {
  tx_id: string;
  replace: ApplyMode;
}

/** Begins what a transaction goes through: preview, commit, apply. */
@Injectable()
export class TransactionSteps {
  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionsService,
    private readonly entries: TransactionEntries,
    private readonly logs: LogCommits,
    private readonly nodes: TransactionNodes,
    private readonly writes: TransactionWrites,
    private readonly tasks: Tasks,
    private readonly tokens: BundleTokens,
    private readonly runner: TaskRunner,
    private readonly rights: TransactionRights,
  ) {}

  /** A runner may now ask for the bundle, plan it and report. */
  async preview(caller: Principal, txId: string): Promise<BegunStep> {
    return this.work.run(async () => {
      const tx = await this.planned(txId);
      await this.rights.requireStep(caller, 'preview', tx);
      if (!(await this.transactions.move(txId, 'preview', caller.userId))) throw transactionErrors.TX_BUSY();
      return this.begin(caller, tx, 'preview');
    });
  }

  /** First committer wins: from now on, whoever overlaps with the transaction is refused. */
  async commit(caller: Principal, txId: string): Promise<BegunStep> {
    return this.work.run(async () => {
      await this.nodes.lockStates(txId);
      const tx = await this.planned(txId);
      await this.rights.requireStep(caller, 'commit', tx);
      if (tx.state === 'previewed') await this.refuseOutdatedPlan(txId);
      await this.refuseUnplannedStates(txId);
      await this.writes.recordWrites(tx, 'delta', await this.nodes.lockStates(txId));
      await this.refuseConflicts(txId);
      if (!(await this.transactions.move(txId, 'commit', caller.userId))) throw transactionErrors.TX_BUSY();
      return this.begin(caller, tx, 'commit');
    });
  }

  /** Applies what was logged, or what a runner reported and could not be applied before. */
  async apply(
    caller: Principal,
    { id: txId, tenantId }: { id: string; tenantId: string },
    replace: ApplyMode,
  ): Promise<string> {
    const { isSmall: isUrgent, stateId } = await this.entries.extent(txId);
    const isTogether =
      isUrgent && replace === 'delta' && this.rights.reachesTenant(caller, 'commit', tenantId);
    if (isTogether && stateId !== undefined) {
      const committed = await this.logs.commit(caller, txId, stateId);
      if (committed !== undefined) return committed;
    }
    const taskId = await this.work.run(async () => {
      await this.nodes.lockStates(txId);
      const tx = await this.transactions.lock(txId);
      await this.rights.requireStep(caller, 'commit', tx);
      requirePlan(tx);
      const isRetry = tx.state === 'failed-committed';
      const awaited = await this.awaitedReport(tx);
      if (tx.state === 'previewing' || awaited?.isPlanned === true) throw transactionErrors.TX_BUSY();
      if (!isRetry && !isActive(tx.state)) throw transactionErrors.TX_NOT_ACTIVE();
      await this.writes.recordWrites(tx, replace, await this.nodes.lockStates(txId));
      // What a runner did is done: whether it can be taken is decided when it is put in.
      if (!isRetry) await this.refuseConflicts(txId);
      if (!isRetry && tx.state !== 'committing') await this.transactions.move(txId, 'commit', caller.userId);
      // No runner can do what was never planned: this does it, and the step that waited for one is over.
      if (awaited) await this.tasks.abort(awaited.taskId);
      const payload: ApplyPayload = { tx_id: txId, replace };
      const id = await this.tasks.start(
        {
          kind: 'apply-transaction',
          tenantId: tx.tenantId,
          createdBy: caller.userId,
          payload: { ...payload },
        },
        { isUrgent },
      );
      await this.transactions.setTask(txId, id);
      await this.transactions.recordAudit(caller, 'tx.apply', {
        txId,
        tenantId: tx.tenantId,
        data: { replace },
      });
      return id;
    });
    if (isUrgent) await this.runner.now(taskId);
    return taskId;
  }

  /** The task of a commit that waits for a report. Of what was planned, only the report says what became of it. */
  private async awaitedReport({
    id,
    state,
    taskId,
  }: LockedTransaction): Promise<{ taskId: string; isPlanned: boolean } | undefined> {
    if (state !== 'committing' || taskId === null) return undefined;
    const [task] = await this.work.query<{ taskId: string; isPlanned: boolean }>(
      `SELECT k.id AS "taskId", EXISTS (SELECT FROM transaction_plans p WHERE p.tx_id = $2) AS "isPlanned"
       FROM tasks k WHERE k.id = $1 AND k.kind = 'noted' AND k.state = 'pending'`,
      [taskId, id],
    );
    return task;
  }

  private async planned(txId: string): Promise<LockedTransaction> {
    const tx = await this.transactions.lock(txId);
    requirePlan(tx);
    if (!isActive(tx.state)) throw transactionErrors.TX_NOT_ACTIVE();
    return tx;
  }

  private async refuseOutdatedPlan(txId: string): Promise<void> {
    const plans = await this.work.query('SELECT FROM transaction_plans WHERE tx_id = $1', [txId]);
    if (plans.length === 0) throw transactionErrors.TX_PLAN_OUTDATED();
  }

  /** What a runner leaves is about the state that it planned, and would be put into all others as well. */
  private async refuseUnplannedStates(txId: string): Promise<void> {
    const rows = await this.work.query(
      `SELECT FROM transaction_plans WHERE tx_id = $1
         AND (SELECT count(*) FROM transaction_states WHERE tx_id = $1) > 1`,
      [txId],
    );
    if (rows.length > 0)
      throw httpErrors.INVALID_REQUEST('a runner plans one state, the transaction has several');
    const gone = await this.work.query(
      `SELECT FROM transaction_plans p WHERE p.tx_id = $1 AND p.has_changes
         AND NOT EXISTS (SELECT FROM transaction_states s WHERE s.tx_id = p.tx_id)`,
      [txId],
    );
    if (gone.length > 0) throw stateErrors.STATE_NOT_FOUND('the planned state was deleted');
  }

  private async refuseConflicts(txId: string): Promise<void> {
    const others = (await this.nodes.conflicts([txId])).get(txId);
    if (others) throw stateErrors.TX_CONFLICT(others.join(','));
  }

  private async begin(
    caller: Principal,
    tx: LockedTransaction,
    kind: BundleClaims['kind'],
  ): Promise<BegunStep> {
    const taskId = await this.tasks.note({
      kind: 'noted',
      tenantId: tx.tenantId,
      createdBy: caller.userId,
      payload: { tx_id: tx.id },
    });
    await this.transactions.setTask(tx.id, taskId);
    await this.transactions.recordAudit(caller, `tx.${kind}`, {
      txId: tx.id,
      tenantId: tx.tenantId,
      data: {},
    });
    return { taskId, token: await this.tokens.sign(caller, { task: taskId, tx: tx.id, kind }) };
  }
}

/** Writes of their own have ended; what is left are sessions. */
function requirePlan({ kind, state }: LockedTransaction): void {
  if (kind === 'plan') return;
  throw isActive(state) ? transactionErrors.TX_IS_SESSION() : transactionErrors.TX_NOT_ACTIVE();
}
