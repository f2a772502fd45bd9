import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { ScanEntity, type SeverityBreakdown } from '../entities/scan.entities.js';
import { SecurityStateEntity } from '../entities/security-state.entity.js';
import { severityName } from './effective-severity.rules.js';

export function emptyBreakdown(): SeverityBreakdown {
  return { critical: 0, high: 0, medium: 0, low: 0, info: 0, unknown: 0 };
}

/** Counts by rank as a breakdown with all six names. */
export function breakdownOf(counts: readonly { severity: number; count: number }[]): SeverityBreakdown {
  const breakdown = emptyBreakdown();
  for (const { severity, count } of counts) breakdown[severityName(severity)] += count;
  return breakdown;
}

/** Tables `security_scans` and `security_states`. */
@Injectable()
export class Scans {
  constructor(private readonly work: UnitOfWork) {}

  async insert(scan: Omit<ScanEntity, 'id'> & { id: string }): Promise<void> {
    await this.work.manager.insert(ScanEntity, scan);
  }

  /** Writes the state's progress. */
  async saveProgress(progress: SecurityStateEntity): Promise<void> {
    await this.work.manager.upsert(SecurityStateEntity, progress, ['stateId']);
  }

  async progressOf(stateId: string): Promise<SecurityStateEntity | null> {
    return this.work.manager.findOneBy(SecurityStateEntity, { stateId });
  }

  /** Fills in what the scan found: open findings of the state that nobody waived. */
  async finish(scanId: string, stateId: string, instanceCount: number): Promise<void> {
    const counts = await this.work.query<{ severity: number; count: number }>(
      `SELECT severity, sum(count)::int AS count FROM security_counts WHERE state_id = $1 AND waived_until <= now() GROUP BY severity`,
      [stateId],
    );
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    await this.work.manager.update(
      ScanEntity,
      { id: scanId },
      {
        status: 'completed',
        findingCount: total,
        severityBreakdown: breakdownOf(counts),
        instanceCount,
      },
    );
  }
}
