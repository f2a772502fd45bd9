import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';

const DAY_MS = 86_400_000;

/** Which states need a snapshot that nobody asked for. */
@Injectable()
export class DueStates {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Never priced, written since, or priced with other usage; the oldest first. */
  async list(limit: number): Promise<string[]> {
    return this.ids(
      `SELECT s.id FROM states s LEFT JOIN cost_states p ON p.state_id = s.id
         LEFT JOIN cost_usage o ON o.id = s.id LEFT JOIN cost_usage t ON t.id = s.tenant_id
       WHERE (s.version > 0 AND (p.state_id IS NULL OR p.priced_version < s.version))
         OR (p.seq > 0 AND p.usage <> concat(coalesce(o.mark::text, '-'), ' ', coalesce(t.mark::text, '-')))
       ORDER BY s.created_at, s.id LIMIT $1`,
      [limit],
    );
  }

  /** Without a snapshot for a day. */
  async daily(limit: number): Promise<string[]> {
    return this.ids(
      'SELECT state_id AS id FROM cost_states WHERE seq > 0 AND snapshot_at <= $1 ORDER BY snapshot_at LIMIT $2',
      [new Date(this.clock.now().getTime() - DAY_MS), limit],
    );
  }

  /** All states of the tenant that were priced. */
  async ofTenant(tenantId: string): Promise<string[]> {
    return this.ids(
      'SELECT state_id AS id FROM cost_states WHERE tenant_id = $1 AND seq > 0 ORDER BY state_id',
      [tenantId],
    );
  }

  private async ids(sql: string, values: readonly unknown[]): Promise<string[]> {
    return (await this.work.query<{ id: string }>(sql, values)).map(({ id }) => id);
  }
}
