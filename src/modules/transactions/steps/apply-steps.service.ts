import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { Principal } from '../../access/index.js';
import { Tasks } from '../../tasks/index.js';
import { TransactionLocks } from '../conflicts/transaction-locks.service.js';
import { TransactionNodes } from '../conflicts/transaction-nodes.store.js';
import { TransactionWrites } from '../conflicts/transaction-writes.service.js';
import type { ApplyMode } from '../dto/transaction-step.dto.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { isActive } from '../transaction-states.machine.js';
import { transactionErrors } from '../transactions.errors.js';
import { type LockedTransaction, TransactionsService } from '../transactions.service.js';
import { requirePlan } from './plan-steps.rules.js';

/** The payload of the task that applies a transaction. */
export interface ApplyPayload {
  tx_id: string;
  replace: ApplyMode;
}

/** Begins to apply a transaction: what was logged, or what a runner reported and could not be applied before. */
@Injectable()
export class ApplySteps {
  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionsService,
    private readonly locks: TransactionLocks,
    private readonly nodes: TransactionNodes,
    private readonly writes: TransactionWrites,
    private readonly tasks: Tasks,
    private readonly rights: TransactionRights,
  ) {}

  /** Answers the id of the task. An urgent one is left to the caller to run. */
  async begin(
    caller: Principal,
    txId: string,
    { replace, isUrgent }: { replace: ApplyMode; isUrgent: boolean },
  ): Promise<string> {
    return this.work.run(async () => {
      const { tx, stateIds } = await this.locks.lockWithStates(txId);
      await this.rights.requireStep(caller, 'commit', tx);
      requirePlan(tx);
      const isRetry = tx.state === 'failed-committed';
      const awaited = await this.awaitedReport(tx);
      if (tx.state === 'previewing' || awaited?.isPlanned === true) throw transactionErrors.TX_BUSY();
      if (!isRetry && !isActive(tx.state)) throw transactionErrors.TX_NOT_ACTIVE();
      await this.writes.recordWrites(tx, replace, stateIds);
      // What a runner did is done: conflicts of a report are decided when it is applied.
      if (!isRetry) await this.nodes.requireNoConflicts(txId);
      if (!isRetry && tx.state !== 'committing') await this.transactions.move(txId, 'commit', caller.userId);
      // No runner can commit what was never planned: the step that waited for one ends, and this replaces it.
      if (awaited) await this.tasks.abort(awaited.taskId);
      return this.startTask(caller, tx, { replace, isUrgent });
    });
  }

  private async startTask(
    caller: Principal,
    { id: txId, tenantId }: LockedTransaction,
    { replace, isUrgent }: { replace: ApplyMode; isUrgent: boolean },
  ): Promise<string> {
    const payload: ApplyPayload = { tx_id: txId, replace };
    const task = {
      kind: 'apply-transaction',
      tenantId,
      createdBy: caller.userId,
      payload: { ...payload },
    };
    const id = await this.tasks.start(task, { isUrgent });
    await this.transactions.setStep(txId, { taskId: id, stepKey: null });
    await this.transactions.recordAudit(caller, 'tx.apply', { txId, tenantId, data: { replace } });
    return id;
  }

  /** The task of a commit that waits for a report. Once a plan exists, only the report tells what became of it. */
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
}
