import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { oneByOne } from './one-by-one.js';
import { TransactionsService } from '../transactions.service.js';

/** Hourly: plans that nobody has touched for long. */
export const EndIdlePlansJob = defineJob('end-idle-plans', {
  everyMs: 3_600_000,
  attempts: 1,
  concurrency: 1,
});

const MOST_AT_ONCE = 1_000;

/**
 * Aborts plans that were never committed: what their runners were given, values of a state among it, would be kept for
 * ever. What was planned stays readable.
 */
@Injectable()
export class IdlePlans {
  private readonly logger = new Logger('IdlePlans');

  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly transactions: TransactionsService,
  ) {}

  @HandlesJob(EndIdlePlansJob)
  async end(_payload: object, _run: JobRun): Promise<void> {
    const days = this.config.get('SERVICE_PLAN_MAX_IDLE_DAYS');
    if (days === 0) return;
    await oneByOne(await this.idle(days), this.logger, (id) =>
      this.work.run(async () => {
        const { tenantId } = await this.transactions.lock(id);
        // Somebody may have touched it since.
        if ((await this.idle(days, id)).length === 0) return;
        await this.transactions.move(id, 'abort', undefined);
        await this.transactions.recordAudit(undefined, 'tx.abort', {
          txId: id,
          tenantId,
          data: { idle_days: days },
        });
      }),
    );
  }

  /**
   * Neither begun, nor told anything, nor planned since.
   * @param txId whether this one is idle, instead of all that are
   */
  private async idle(days: number, txId?: string): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT t.id FROM transactions t CROSS JOIN (SELECT now() - make_interval(days => $1) AS since) d
       WHERE t.kind = 'plan' AND t.state IN ('open', 'previewed') AND t.created_at < d.since AND ($2::uuid IS NULL OR t.id = $2)
         AND NOT EXISTS (SELECT FROM transaction_plans p WHERE p.tx_id = t.id AND p.created_at >= d.since)
         AND coalesce((SELECT created_at FROM transaction_logs l WHERE l.tx_id = t.id ORDER BY seq DESC LIMIT 1) < d.since, true)
       ORDER BY t.created_at LIMIT ${MOST_AT_ONCE}`,
      [days, txId ?? null],
    );
    return rows.map(({ id }) => id);
  }
}
