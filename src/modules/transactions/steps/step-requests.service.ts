import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/index.js';
import { TaskRunner } from '../../tasks/index.js';
import type { ApplyMode } from '../dto/transaction-step.dto.js';
import { TransactionEntries } from '../log/transaction-entries.queries.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { ApplySteps } from './apply-steps.service.js';
import { LogCommits } from './log-commits.service.js';
import { TransactionSessions } from './transaction-sessions.service.js';
import { type BegunStep, TransactionSteps } from './transaction-steps.service.js';

/** Begins the steps of transactions, each in the way that suits the transaction. */
@Injectable()
export class StepRequests {
  constructor(
    private readonly sessions: TransactionSessions,
    private readonly steps: TransactionSteps,
    private readonly entries: TransactionEntries,
    private readonly logs: LogCommits,
    private readonly applications: ApplySteps,
    private readonly runner: TaskRunner,
    private readonly rights: TransactionRights,
  ) {}

  async preview(caller: Principal, txId: string, key?: string): Promise<BegunStep> {
    return this.steps.preview(caller, txId, key);
  }

  /** A session ends at once; a plan waits for its runner. */
  async commit(caller: Principal, txId: string, key?: string): Promise<BegunStep & { isDone: boolean }> {
    return (await this.sessions.isSession(txId))
      ? { ...(await this.sessions.commit(caller, txId)), isDone: true }
      : { ...(await this.steps.commit(caller, txId, key)), isDone: false };
  }

  /** Answers the id of the task. Small transactions are applied before the answer, together where they can be. */
  async apply(
    caller: Principal,
    { id: txId, tenantId }: { id: string; tenantId: string },
    replace: ApplyMode,
  ): Promise<string> {
    const { isSmall: isUrgent, stateId } = await this.entries.extent(txId);
    const isPlain = isUrgent && replace === 'delta' && this.rights.reachesTenant(caller, 'commit', tenantId);
    if (isPlain && stateId !== undefined) {
      const committed = await this.logs.commit(caller, txId, stateId);
      if (committed !== undefined) return committed;
    }
    const taskId = await this.applications.begin(caller, txId, { replace, isUrgent });
    if (isUrgent) await this.runner.now(taskId);
    return taskId;
  }
}
