import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { storableText } from '../../platform/database/storable-text.js';
import { httpErrors } from '../../platform/errors/index.js';
import { Events } from '../../platform/events/index.js';
import { SMALL_TEXT, TextThreads } from '../../platform/threads/index.js';
import type { Principal } from '../access/index.js';
import { keyOf } from '../documents/index.js';
import { outputKey } from '../states/index.js';
import { fragmentsOf, TaskRunner, Tasks } from '../tasks/index.js';
import {
  type BundleClaims,
  bundleOf,
  type LockedTransaction,
  PlanStored,
  TransactionEntity,
  TransactionEntries,
  transactionErrors,
  TransactionNodes,
  TransactionOutputEntity,
  TransactionPlanEntity,
  TransactionPlanOperationEntity,
  TransactionQueries,
  TransactionsService,
} from '../transactions/index.js';
import type { StoredPlan } from './plan-json.rules.js';
import {
  failureText,
  MISSING_PARTS,
  NO_REPORT,
  READ_REPORT,
  type ReportContents,
  reported,
  type ReportMessage,
} from './report-contents.rules.js';
import { ReportParts } from './report-parts.store.js';
import type { FailureReason } from './report-request.rules.js';

type Contents<K extends ReportContents['kind']> = Extract<ReportContents, { kind: K }>;

/** Takes what runners report of the step they do. A report sent again has no further effect. */
@Injectable()
export class RunnerReports {
  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly parts: ReportParts,
    private readonly threads: TextThreads,
    private readonly transactions: TransactionsService,
    private readonly queries: TransactionQueries,
    private readonly nodes: TransactionNodes,
    private readonly tasks: Tasks,
    private readonly entries: TransactionEntries,
    private readonly events: Events,
    private readonly runner: TaskRunner,
  ) {}

  /**
   * @param body JSON text, as it came
   * @param token the caller's, which parts are sealed with
   * @returns the id of the task whose end is the step's
   */
  async take(caller: Principal, body: Buffer, token: string): Promise<string> {
    const claims = bundleOf(caller);
    const report = await this.readReport(caller, { bytes: [body] });
    if (typeof report === 'string') throw httpErrors.INVALID_REQUEST(report);
    if (report.kind === 'chunk') await this.storePart(caller, report.idx, report.data, token);
    else if (report.kind !== 'done') await this.settle(caller, report);
    else if (!(await this.isTaken(claims))) await this.takeParts(caller, report.idx, token);
    return claims.task;
  }

  private readReport(caller: Principal, message: ReportMessage): Promise<ReturnType<typeof reported>> {
    const bytes = message.bytes.reduce((sum, part) => sum + part.length, 0);
    return this.threads.run(READ_REPORT, { input: message, bytes, group: caller.tenantIds.join() });
  }

  /** The plan as its runner reported it. */
  async plan(caller: Principal): Promise<{ has_changes: boolean; plan: string }> {
    const plan = await this.work.manager.findOne(TransactionPlanEntity, {
      select: { hasChanges: true, plan: true },
      where: { txId: bundleOf(caller).tx },
    });
    if (!plan) throw transactionErrors.TX_NOT_PREVIEWED();
    return { has_changes: plan.hasChanges, plan: plan.plan };
  }

  private async storePart(caller: Principal, idx: number, data: Uint8Array, token: string): Promise<void> {
    const { task, tx } = bundleOf(caller);
    await this.work.run(async () => {
      const { taskId } = await this.transactions.lockFor(caller, tx);
      if (taskId !== task) throw transactionErrors.TX_NOT_ACTIVE();
      const limit = this.config.get('SERVICE_CLIENT_MAX_BODY_SIZE');
      if ((await this.parts.size(task)) + data.length > limit)
        throw httpErrors.PAYLOAD_TOO_LARGE(`a report may have ${limit} bytes at most`);
      await this.parts.store(task, idx, data, token);
    });
  }

  private async takeParts(caller: Principal, count: number, token: string): Promise<void> {
    const { task } = bundleOf(caller);
    const bytes = await this.parts.all(task, count);
    const report = bytes ? await this.readReport(caller, { bytes, token }) : MISSING_PARTS;
    if (typeof report === 'string') throw httpErrors.INVALID_REQUEST(report);
    if (report.kind === 'chunk' || report.kind === 'done') throw httpErrors.INVALID_REQUEST(NO_REPORT);
    await this.settle(caller, report);
    await this.parts.delete(task);
  }

  /** The task has its work or its end: this report, or another one of the step, was taken before. */
  private async isTaken({ task, tx }: BundleClaims): Promise<boolean> {
    const rows = await this.work.query(
      `SELECT FROM tasks k JOIN transactions t ON t.id = $2 AND t.task_id = k.id
       WHERE k.id = $1 AND t.state <> 'aborted' AND k.state <> 'aborted' AND (k.kind <> 'noted' OR k.state <> 'pending')`,
      [task, tx],
    );
    return rows.length > 0;
  }

  private async settle(caller: Principal, report: ReportContents): Promise<void> {
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
        throw httpErrors.INVALID_REQUEST('a runner plans one state, the transaction has several');
      await this.work.query(
        `INSERT INTO transaction_plans (tx_id, has_changes, plan, plan_json) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tx_id) DO UPDATE SET has_changes = EXCLUDED.has_changes, plan = EXCLUDED.plan,
           plan_json = EXCLUDED.plan_json, created_at = now()`,
        [tx.id, hasChanges, plan, planJson],
      );
      await this.storeWrites(tx.id, stateId, changes);
      await this.transactions.move(tx.id, 'preview-done', caller.userId);
      await this.events.publish(new PlanStored(tx.id, tx.tenantId, stateIds));
      if (!(await this.tasks.complete(claims.task, { has_changes: hasChanges })))
        throw transactionErrors.TX_NOT_ACTIVE();
    });
  }

  /** What the infrastructure is now is kept whatever became of the transaction meanwhile. */
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
      await this.work.query(
        `INSERT INTO transaction_reports (tx_id, failed, state) VALUES ($1, $2, $3)
         ON CONFLICT (tx_id) DO UPDATE SET failed = EXCLUDED.failed, state = EXCLUDED.state, created_at = now()`,
        [tx.id, isFailure, document],
      );
      await this.storeOutput(tx.id, isFailure ? 'run_failure' : 'apply_stdout', output);
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
      // What another one left may be about to be put in.
      if (!tx || (await this.isTaken(claims))) return;
      await this.storeOutput(tx.id, 'run_failure', failureText(reason));
      const trigger = claims.kind === 'preview' ? 'preview-failed' : 'commit-failed';
      await this.transactions.move(tx.id, trigger, caller.userId);
      await this.tasks.fail(claims.task, reason.code);
    });
  }

  /** Locked; undefined when another report of the step was taken while this one was read or waited. */
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

  private async storeWrites(
    txId: string,
    stateId: string | undefined,
    { operations, writes, outputs }: Omit<StoredPlan, 'masked'>,
  ): Promise<void> {
    await this.nodes.forgetWrites(txId);
    await this.work.manager.delete(TransactionPlanOperationEntity, { txId });
    if (stateId === undefined) {
      if (writes.length + outputs.length > 0)
        throw httpErrors.INVALID_REQUEST('the plan changes something, and the transaction has no state');
      return;
    }
    await this.nodes.addWrites(txId, [
      ...writes.map(({ address, deposed }) => ({ stateId, key: keyOf(address, deposed), address })),
      ...outputs.map((name) => ({ stateId, key: outputKey(name), address: `output.${name}` })),
    ]);
    await this.work.query(
      `INSERT INTO transaction_plan_operations (tx_id, state_id, key, address, deposed, operation)
       SELECT $1, $2, k, a, d, o FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) AS r (k, a, d, o)
       ON CONFLICT DO NOTHING`,
      [
        txId,
        stateId,
        operations.map(({ address, deposed }) => keyOf(address, deposed)),
        operations.map(({ address }) => storableText(address)),
        operations.map(({ deposed }) => deposed ?? null),
        operations.map(({ operation }) => operation),
      ],
    );
  }

  private async storeOutput(
    txId: string,
    kind: 'apply_stdout' | 'run_failure',
    payload: string,
  ): Promise<void> {
    await this.work.manager.delete(TransactionOutputEntity, { txId });
    await this.work.manager.update(TransactionEntity, txId, { outputKind: kind });
    await this.work.query(
      `INSERT INTO transaction_output (tx_id, idx, data)
       SELECT $1, ordinality - 1, data FROM unnest($2::text[]) WITH ORDINALITY AS f (data, ordinality)`,
      [txId, fragmentsOf(payload)],
    );
  }
}
