import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { TextThreads } from '../../platform/threads/index.js';
import type { Principal } from '../access/index.js';
import { bundleOf, ReportedContents, transactionErrors, TransactionsService } from '../transactions/index.js';
import {
  MISSING_PARTS,
  NO_REPORT,
  READ_REPORT,
  reported,
  type ReportMessage,
} from './report-contents.rules.js';
import { ReportParts } from './report-parts.store.js';
import { ReportedSteps } from './reported-steps.service.js';

/** Receives the reports of runners, whole or in parts. A report sent again has no further effect. */
@Injectable()
export class RunnerReports {
  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly parts: ReportParts,
    private readonly threads: TextThreads,
    private readonly transactions: TransactionsService,
    private readonly steps: ReportedSteps,
    private readonly contents: ReportedContents,
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
    else if (report.kind !== 'done') await this.steps.settle(caller, report);
    else if (!(await this.steps.isTaken(claims))) await this.takeParts(caller, report.idx, token);
    return claims.task;
  }

  private readReport(caller: Principal, message: ReportMessage): Promise<ReturnType<typeof reported>> {
    const bytes = message.bytes.reduce((sum, part) => sum + part.length, 0);
    return this.threads.run(READ_REPORT, { input: message, bytes, group: caller.tenantIds.join() });
  }

  /** The plan as its runner reported it. */
  async plan(caller: Principal): Promise<{ has_changes: boolean; plan: string }> {
    const plan = await this.contents.findPlan(bundleOf(caller).tx);
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
        throw httpErrors.PAYLOAD_TOO_LARGE(`a report must not exceed ${limit} bytes`);
      await this.parts.store(task, idx, data, token);
    });
  }

  private async takeParts(caller: Principal, count: number, token: string): Promise<void> {
    const { task } = bundleOf(caller);
    const bytes = await this.parts.all(task, count);
    const report = bytes ? await this.readReport(caller, { bytes, token }) : MISSING_PARTS;
    if (typeof report === 'string') throw httpErrors.INVALID_REQUEST(report);
    if (report.kind === 'chunk' || report.kind === 'done') throw httpErrors.INVALID_REQUEST(NO_REPORT);
    await this.steps.settle(caller, report);
    await this.parts.delete(task);
  }
}
