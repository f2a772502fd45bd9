import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import type { Principal } from '../access/index.js';
import { taskErrors, TaskRunner, Tasks } from '../tasks/index.js';
import { type BundleClaims, bundleOf, TransactionEntries } from '../transactions/index.js';
import { RunnerSteps } from './runner-steps.queries.js';

export const GENERATE_BUNDLE = 'generate-bundle';

/** Of the task: the transaction, and the step that the bundle is for. */
export interface GenerationPayload {
  tx_id: string;
  step: string;
  /** absent in tasks of older releases, which knew previews only */
  kind?: BundleClaims['kind'];
}

/** Starts the task that generates a bundle, when a runner asks for one. */
@Injectable()
export class BundleRequests {
  constructor(
    private readonly work: UnitOfWork,
    private readonly steps: RunnerSteps,
    private readonly entries: TransactionEntries,
    private readonly tasks: Tasks,
    private readonly runner: TaskRunner,
  ) {}

  /** `named` may be a noted task of the same user, but not the step's own, which ends when the runner reports. */
  async begin(caller: Principal, named: string | undefined): Promise<string> {
    const { tx: txId, task: step, kind } = bundleOf(caller);
    const taskId = named?.toLowerCase() === step ? undefined : named;
    const isUrgent = await this.entries.isSmall(txId);
    const id = await this.work.run(async () => {
      const { tenantId } = await this.steps.require({ tx: txId, task: step, kind });
      const payload: GenerationPayload = { tx_id: txId, step, kind };
      const task = { kind: GENERATE_BUNDLE, tenantId, payload: { ...payload } };
      if (taskId === undefined) return this.tasks.start({ ...task, createdBy: caller.userId }, { isUrgent });
      if (!(await this.tasks.begin(taskId, caller.userId, task, { isUrgent })))
        throw taskErrors.TASK_NOT_FOUND();
      return taskId;
    });
    if (isUrgent) await this.runner.now(id);
    return id;
  }
}
