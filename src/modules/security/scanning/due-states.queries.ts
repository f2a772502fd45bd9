import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { CheckSets } from '../findings/check-sets.js';

const ROWS_PER_DELETE = 10_000;
const OWN_JOB_SECONDS = 5;
/** With the version of the built-in checks as $1. */
const DUE = `states s LEFT JOIN security_states p ON p.state_id = s.id
  WHERE s.version > 0 AND (p.state_id IS NULL OR p.scanned_version < s.version
    OR (s.graph_error IS NULL AND NOT starts_with(p.scanner_version, $1)))`;

/** Which states need a scan that nobody asked for. */
@Injectable()
export class DueStates {
  constructor(
    private readonly work: UnitOfWork,
    private readonly checks: CheckSets,
  ) {}

  /** Tenants with states that are due; a write that is only just committed has its own job. */
  async tenants(limit: number): Promise<string[]> {
    return this.ids(
      `SELECT DISTINCT s.tenant_id AS id FROM ${DUE}
         AND NOT EXISTS (SELECT FROM state_versions v WHERE v.state_id = s.id AND v.version = s.version
           AND v.created_at > now() - interval '${OWN_JOB_SECONDS} seconds') LIMIT $2`,
      [this.checks.registry.version, limit],
    );
  }

  /** States of the tenant that were never scanned, written since, or scanned with other checks. */
  async ofTenant(tenantId: string): Promise<string[]> {
    return this.ids(`SELECT s.id FROM ${DUE} AND s.tenant_id = $2 ORDER BY s.id`, [
      this.checks.registry.version,
      tenantId,
    ]);
  }

  /** Not scanned as a whole for a day. */
  async daily(limit: number): Promise<string[]> {
    return this.ids(
      `SELECT s.id FROM states s JOIN security_states p ON p.state_id = s.id
       WHERE s.graph_error IS NULL AND p.whole_at < now() - interval '1 day' ORDER BY p.whole_at LIMIT $1`,
      [limit],
    );
  }

  /** Forgets what was resolved longer ago. */
  async forget(days: number): Promise<void> {
    for (;;) {
      const rows = await this.ids(
        `DELETE FROM security_findings WHERE id IN (SELECT id FROM security_findings
           WHERE resolved_at < now() - $1 * interval '1 day' LIMIT ${ROWS_PER_DELETE}) RETURNING id`,
        [days],
      );
      if (rows.length < ROWS_PER_DELETE) break;
    }
    await this.work.query(
      `DELETE FROM security_scans s WHERE scanned_at < now() - $1 * interval '1 day'
         AND NOT EXISTS (SELECT FROM security_states p WHERE p.last_scan_id = s.id)`,
      [days],
    );
  }

  private async ids(sql: string, values: readonly unknown[]): Promise<string[]> {
    return (await this.work.query<{ id: string }>(sql, values)).map(({ id }) => id);
  }
}
