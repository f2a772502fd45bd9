import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { Tasks } from '../../tasks/index.js';
import { ConfigurationAccesses } from '../conflicts/configuration-accesses.store.js';
import { oneByOne } from './one-by-one.js';
import { TransactionsService } from '../transactions.service.js';

/** Every minute: transactions whose preview or commit will never be reported. */
export const EndLostStepsJob = defineJob('end-lost-transaction-steps', {
  everyMs: 60_000,
  attempts: 1,
  concurrency: 1,
});

/** A runner's token is valid for a day. After that, nobody can report the step. */
const LOST_AFTER = '25 hours';

/** Ends steps whose task has failed, was aborted, or was never reported. */
@Injectable()
export class LostSteps {
  private readonly logger = new Logger('LostSteps');

  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionsService,
    private readonly accesses: ConfigurationAccesses,
    private readonly tasks: Tasks,
  ) {}

  @HandlesJob(EndLostStepsJob)
  async end(_payload: object, _run: JobRun): Promise<void> {
    await this.accesses.forgetOld();
    const lost = await this.lost();
    await oneByOne(lost, this.logger, (id) =>
      this.work.run(async () => {
        const { state, tenantId, taskId } = await this.transactions.lock(id);
        // Another step may have begun since.
        if ((await this.lost(id)).length === 0) return;
        const trigger = state === 'previewing' ? 'preview-failed' : 'commit-failed';
        if (!(await this.transactions.move(id, trigger, undefined))) return;
        if (taskId !== null) await this.tasks.fail(taskId, 'TIME_LIMIT');
        await this.transactions.recordAudit(undefined, 'tx.lost', {
          txId: id,
          tenantId,
          data: { step: state },
        });
      }),
    );
  }

  /** @param txId whether this one is lost, instead of all that are */
  private async lost(txId?: string): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT t.id FROM transactions t LEFT JOIN tasks k ON k.id = t.task_id
       WHERE t.state IN ('previewing', 'committing') AND t.task_id IS NOT NULL AND ($1::uuid IS NULL OR t.id = $1)
         AND (k.id IS NULL OR k.state IN ('failed', 'aborted') OR (k.state = 'pending' AND k.created_at < now() - interval '${LOST_AFTER}'))`,
      [txId ?? null],
    );
    return rows.map(({ id }) => id);
  }
}
