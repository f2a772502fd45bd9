import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { TransactionReportPartEntity } from './entities/bundle.entities.js';
import { IV_BYTES, sealed } from './sealed-part.rules.js';

/**
 * Reports that come in parts. Nothing sensitive is stored before it is masked, and a part cannot be masked: so parts are
 * sealed with the runner's token, which the service does not keep.
 */
@Injectable()
export class ReportParts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
  ) {}

  /** Sent again, a part replaces itself. */
  async store(taskId: string, idx: number, data: Uint8Array, token: string): Promise<void> {
    const part = { taskId, idx, sealed: sealed(data, token, this.secrets.bytes(IV_BYTES)) };
    await this.work.manager.upsert(TransactionReportPartEntity, part, ['taskId', 'idx']);
  }

  /** Bytes kept for a task so far. */
  async size(taskId: string): Promise<number> {
    const [row] = await this.work.query<{ size: string | null }>(
      'SELECT sum(length(sealed)) AS size FROM transaction_report_parts WHERE task_id = $1',
      [taskId],
    );
    return Number(row?.size ?? 0);
  }

  /** All of them, sealed as they are, or undefined when some are missing. */
  async all(taskId: string, count: number): Promise<Buffer[] | undefined> {
    const rows = await this.work.query<{ sealed: Buffer }>(
      'SELECT sealed FROM transaction_report_parts WHERE task_id = $1 AND idx < $2 ORDER BY idx',
      [taskId, count],
    );
    return count === 0 || rows.length !== count ? undefined : rows.map((row) => row.sealed);
  }

  async delete(taskId: string): Promise<void> {
    await this.work.manager.delete(TransactionReportPartEntity, { taskId });
  }

  /** @param age an interval, counted from the beginning of the step */
  async deleteOlderThan(age: string): Promise<void> {
    await this.work.query(
      'DELETE FROM transaction_report_parts p USING tasks k WHERE k.id = p.task_id AND k.created_at < now() - $1::interval',
      [age],
    );
  }
}
