import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { Events } from '../../platform/events/index.js';
import { SMALL_TEXT } from '../../platform/threads/index.js';
import type { Principal } from '../access/index.js';
import { TaskRunner, Tasks } from '../tasks/index.js';
import {
  type BundleClaims,
  bundleOf,
  type LockedTransaction,
  PlanStored,
  ReportedContents,
  TransactionEntries,
  transactionErrors,
  TransactionQueries,
  TransactionsService,
} from '../transactions/index.js';
import { failureText, type ReportContents } from './report-contents.rules.js';
import type { FailureReason } from './report-request.rules.js';

type Contents<K extends ReportContents['kind']> = Extract<ReportContents, { kind: K }>;

/** Moves the step of a transaction on, by what its runner reported. */
@Injectable()
export class ReportedSteps {
  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionsService,
    private readonly queries: TransactionQueries,
    private readonly contents: ReportedContents,
    private readonly tasks: Tasks,
    private readonly entries: TransactionEntries,
    private readonly events: Events,
    private readonly runner: TaskRunner,
  ) {}

  /** True when the task has work or has ended: a report of the step was accepted before. */
  async isTaken({ task, tx }: BundleClaims): Promise<boolean> {
    const rows = await this.work.query(
      `SELECT FROM tasks k JOIN transactions t ON t.id = $2 AND t.task_id = k.id
       WHERE k.id = $1 AND t.state <> 'aborted' AND k.state <> 'aborted' AND (k.kind <> 'noted' OR k.state <> 'pending')`,
      [task, tx],
    );
    return rows.length > 0;
  }

  async settle(caller: Principal, report: ReportContents): Promise<void> {
    const claims = bundleOf(caller);
    if (await this.isTaken(claims)) return;
    switch (report.kind) {
      case 'unusable':
        throw httpErrors.INVALID_REQUEST(report.problem);
      case 'preview':
        return this.previewed(caller, claims, report);
      case 'failure':
        return this.failed(caller, claims, report.reason);
      case 'commit':
        return this.committed(caller, claims, report);
    }
  }

  private async previewed(
    caller: Principal,
    claims: BundleClaims,
    { hasChanges, plan, planJson, changes }: Contents<'preview'>,
  ): Promise<void> {
    await this.work.run(async () => {
      const tx = await this.inStep(caller, 'preview');
      if (!tx) return;
      const stateIds = await this.queries.stateIds(tx.id);
      const [stateId, other] = stateIds;
      if (other !== undefined)
        throw httpErrors.INVALID_REQUEST('a runner plans one state, but the transaction has several');
      await this.contents.storePlan(tx.id, { hasChanges, plan, planJson });
      await this.contents.storeChanges(tx.id, stateId, changes);
      await this.transactions.move(tx.id, 'preview-done', caller.userId);
      await this.events.publish(new PlanStored(tx.id, tx.tenantId, stateIds));
      if (!(await this.tasks.complete(claims.task, { has_changes: hasChanges })))
        throw transactionErrors.TX_NOT_ACTIVE();
    });
  }

  /** Infrastructure has changed: the document is stored even when the transaction has ended meanwhile. */
  private async committed(
    caller: Principal,
    claims: BundleClaims,
    { isFailure, document, output }: Contents<'commit'>,
  ): Promise<void> {
    const isUrgent = document.length <= SMALL_TEXT && (await this.entries.isSmall(claims.tx));
    const outcome = await this.work.run(async () => {
      const tx = await this.transactions.lockFor(caller, claims.tx);
      if (claims.kind !== 'commit' || tx.taskId !== claims.task) return 'refused';
      const isBegun = tx.state === 'committing' && (await this.beginApply(caller, tx, { isUrgent }));
      if (!isBegun && (await this.isTaken(claims))) return 'taken';
      await this.contents.storeReport(tx.id, { failed: isFailure, state: document });
      await this.contents.storeOutput(tx.id, isFailure ? 'run_failure' : 'apply_stdout', output);
      return isBegun ? 'begun' : 'refused';
    });
    if (outcome === 'refused') throw transactionErrors.TX_NOT_ACTIVE();
    if (outcome === 'begun' && isUrgent) await this.runner.now(claims.task);
  }

  private async beginApply(
    caller: Principal,
    tx: LockedTransaction,
    { isUrgent }: { isUrgent: boolean },
  ): Promise<boolean> {
    const payload = { tx_id: tx.id, replace: 'delta' };
    const task = { kind: 'apply-transaction', tenantId: tx.tenantId, payload };
    return this.tasks.begin(bundleOf(caller).task, caller.userId, task, { isUrgent });
  }

  /** The runner failed before it changed anything. */
  private async failed(caller: Principal, claims: BundleClaims, reason: FailureReason): Promise<void> {
    await this.work.run(async () => {
      const tx = await this.inStep(caller, claims.kind);
      // The document of another report may be about to be applied.
      if (!tx || (await this.isTaken(claims))) return;
      await this.contents.storeOutput(tx.id, 'run_failure', failureText(reason));
      const trigger = claims.kind === 'preview' ? 'preview-failed' : 'commit-failed';
      await this.transactions.move(tx.id, trigger, caller.userId);
      await this.tasks.fail(claims.task, reason.code);
    });
  }

  /** Locks the transaction. Undefined when another report of the step was accepted meanwhile. */
  private async inStep(
    caller: Principal,
    kind: BundleClaims['kind'],
  ): Promise<LockedTransaction | undefined> {
    const claims = bundleOf(caller);
    const tx = await this.transactions.lockFor(caller, claims.tx);
    const isGoingOn = tx.state === (kind === 'preview' ? 'previewing' : 'committing');
    if (isGoingOn && claims.kind === kind && tx.taskId === claims.task) return tx;
    if (await this.isTaken(claims)) return undefined;
    throw transactionErrors.TX_NOT_ACTIVE();
  }
}
