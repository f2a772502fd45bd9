import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import type { Principal } from '../../access/index.js';
import { stateErrors } from '../../states/index.js';
import { Tasks } from '../../tasks/index.js';
import { type BundleClaims, BundleTokens } from '../bundle-tokens.js';
import { callerKey } from '../caller-key.rules.js';
import { TransactionLocks } from '../conflicts/transaction-locks.service.js';
import { TransactionNodes } from '../conflicts/transaction-nodes.store.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { TransactionWrites } from '../conflicts/transaction-writes.service.js';
import { requireActivePlan } from './plan-steps.rules.js';
import { transactionErrors } from '../transactions.errors.js';
import { type LockedTransaction, TransactionsService } from '../transactions.service.js';

/** A step that a runner does: its task, and the token to report with. */
export interface BegunStep {
  taskId: string;
  token: string;
}

interface AskedStep {
  caller: Principal;
  tx: LockedTransaction;
  kind: BundleClaims['kind'];
}

/** State of a transaction while the step runs. */
const RUNNING = { preview: 'previewing', commit: 'committing' } as const;

/** Begins the steps that a runner does: preview and commit. */
@Injectable()
export class TransactionSteps {
  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionsService,
    private readonly locks: TransactionLocks,
    private readonly nodes: TransactionNodes,
    private readonly writes: TransactionWrites,
    private readonly tasks: Tasks,
    private readonly tokens: BundleTokens,
    private readonly rights: TransactionRights,
  ) {}

  /** From now on a runner may fetch the bundle, plan it and report. */
  async preview(caller: Principal, txId: string, key?: string): Promise<BegunStep> {
    return this.work.run(async () => {
      const tx = await this.transactions.lock(txId);
      requireActivePlan(tx);
      await this.rights.requireStep(caller, 'preview', tx);
      const stepKey = callerKey(caller, key);
      const begun = await this.begunWith(stepKey, { caller, tx, kind: 'preview' });
      if (begun) return begun;
      if (!(await this.transactions.move(txId, 'preview', caller.userId))) throw transactionErrors.TX_BUSY();
      return this.begin(stepKey, { caller, tx, kind: 'preview' });
    });
  }

  /** First committer wins: from now on, transactions that overlap with this one are refused. */
  async commit(caller: Principal, txId: string, key?: string): Promise<BegunStep> {
    return this.work.run(async () => {
      const { tx, stateIds } = await this.locks.lockWithStates(txId);
      requireActivePlan(tx);
      await this.rights.requireStep(caller, 'commit', tx);
      const stepKey = callerKey(caller, key);
      const begun = await this.begunWith(stepKey, { caller, tx, kind: 'commit' });
      if (begun) return begun;
      if (tx.state === 'previewed') await this.refuseOutdatedPlan(txId);
      await this.refuseUnplannedStates(txId);
      await this.writes.recordWrites(tx, 'delta', stateIds);
      await this.nodes.requireNoConflicts(txId);
      if (!(await this.transactions.move(txId, 'commit', caller.userId))) throw transactionErrors.TX_BUSY();
      return this.begin(stepKey, { caller, tx, kind: 'commit' });
    });
  }

  private async refuseOutdatedPlan(txId: string): Promise<void> {
    const plans = await this.work.query('SELECT FROM transaction_plans WHERE tx_id = $1', [txId]);
    if (plans.length === 0) throw transactionErrors.TX_PLAN_OUTDATED();
  }

  /** A runner's report describes the one state that it planned, and must not be written into another. */
  private async refuseUnplannedStates(txId: string): Promise<void> {
    const rows = await this.work.query(
      `SELECT FROM transaction_plans WHERE tx_id = $1
         AND (SELECT count(*) FROM transaction_states WHERE tx_id = $1) > 1`,
      [txId],
    );
    if (rows.length > 0)
      throw httpErrors.INVALID_REQUEST('a runner plans one state, but the transaction has several');
    const gone = await this.work.query(
      `SELECT FROM transaction_plans p WHERE p.tx_id = $1 AND p.has_changes
         AND NOT EXISTS (SELECT FROM transaction_states s WHERE s.tx_id = p.tx_id)`,
      [txId],
    );
    if (gone.length > 0) throw stateErrors.STATE_NOT_FOUND('the planned state was deleted');
  }

  /** The running step, when it was begun with the same key: whoever asks again did not get the answer. */
  private async begunWith(
    stepKey: string | null,
    { caller, tx, kind }: AskedStep,
  ): Promise<BegunStep | undefined> {
    const { id, state, taskId } = tx;
    if (stepKey === null || tx.stepKey !== stepKey || taskId === null || state !== RUNNING[kind])
      return undefined;
    return { taskId, token: await this.tokens.sign(caller, { task: taskId, tx: id, kind }) };
  }

  private async begin(stepKey: string | null, { caller, tx, kind }: AskedStep): Promise<BegunStep> {
    const taskId = await this.tasks.createIdle({
      kind: 'noted',
      tenantId: tx.tenantId,
      createdBy: caller.userId,
      payload: { tx_id: tx.id },
    });
    await this.transactions.setStep(tx.id, { taskId, stepKey });
    await this.transactions.recordAudit(caller, `tx.${kind}`, {
      txId: tx.id,
      tenantId: tx.tenantId,
      data: {},
    });
    return { taskId, token: await this.tokens.sign(caller, { task: taskId, tx: tx.id, kind }) };
  }
}
