import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { decodePosition, encodePageToken } from '../../../platform/http/index.js';
import type { ScanKind, SeverityBreakdown } from '../entities/scan.entities.js';
import type { FindingPlace } from './finding-filter.rules.js';
import { breakdownOf } from './scans.store.js';
import type { DayDelta } from './finding-history.rules.js';

export interface FindingSummary {
  total: number;
  breakdown: SeverityBreakdown;
  reachable: number;
  suppressed: number;
  topChecks: { checkId: string; count: number }[];
}

export interface ScanRow {
  id: string;
  state_id: string;
  kind: ScanKind;
  status: 'running' | 'completed' | 'failed';
  scanner_version: string;
  scanned_at: Date;
  finding_count: number;
  severity_breakdown: SeverityBreakdown | null;
  triggered_by: string;
  tx_id: string | null;
  serial: string | null;
  version: number | null;
  instance_count: number | null;
  error_message: string | null;
  seq: string;
}

const TOP_CHECKS = 10;
const SCAN_COLUMNS = `id, state_id, kind, status, scanner_version, scanned_at, finding_count, severity_breakdown, triggered_by, tx_id,
  serial, version, instance_count, error_message, seq`;

/** Counts, scans and history for responses; all of it from counters that the writes maintain. */
@Injectable()
export class SecuritySummaries {
  constructor(private readonly work: UnitOfWork) {}

  async findSummary(place: FindingPlace, stateId?: string): Promise<FindingSummary> {
    const [column, id] = 'stateId' in place ? ['state_id', place.stateId] : ['tenant_id', place.tenantId];
    const rows = await this.work.query<{
      check_id: string;
      severity: number;
      reachable: boolean;
      waived: boolean;
      count: number;
    }>(
      `SELECT check_id, severity, reachable, waived_until > now() AS waived, sum(count)::int AS count FROM security_counts
       WHERE ${column} = $1 AND ($2::uuid IS NULL OR state_id = $2) GROUP BY 1, 2, 3, 4`,
      [id, stateId ?? null],
    );
    const open = rows.filter(({ waived }) => !waived);
    const sum = (list: typeof rows): number => list.reduce((total, { count }) => total + count, 0);
    const byCheck = new Map<string, number>();
    for (const { check_id: checkId, count } of open)
      byCheck.set(checkId, (byCheck.get(checkId) ?? 0) + count);
    return {
      total: sum(open),
      breakdown: breakdownOf(open),
      reachable: sum(open.filter(({ reachable }) => reachable)),
      suppressed: sum(rows) - sum(open),
      topChecks: [...byCheck]
        .map(([checkId, count]) => ({ checkId, count }))
        .sort((a, b) => b.count - a.count || (a.checkId < b.checkId ? -1 : 1))
        .slice(0, TOP_CHECKS),
    };
  }

  async latestScan(stateId: string): Promise<ScanRow | undefined> {
    const [row] = await this.work.query<ScanRow>(
      `SELECT ${SCAN_COLUMNS} FROM security_scans
       WHERE id = (SELECT last_scan_id FROM security_states WHERE state_id = $1)`,
      [stateId],
    );
    return row;
  }

  /** Newest first. */
  async scans(
    stateId: string,
    kind: ScanKind | undefined,
    at: { limit: number; page: string | undefined },
  ): Promise<{ rows: ScanRow[]; total: number; next: string | undefined }> {
    const before = at.page === undefined ? null : decodePosition(at.page, Number.MAX_SAFE_INTEGER);
    const rows = await this.work.query<ScanRow>(
      `SELECT ${SCAN_COLUMNS} FROM security_scans WHERE state_id = $1 AND ($2::text IS NULL OR kind = $2)
         AND ($3::bigint IS NULL OR seq < $3) ORDER BY seq DESC LIMIT $4`,
      [stateId, kind ?? null, before, at.limit + 1],
    );
    const [count] = await this.work.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM security_scans WHERE state_id = $1 AND ($2::text IS NULL OR kind = $2)',
      [stateId, kind ?? null],
    );
    const last = rows.slice(0, at.limit).at(-1);
    return {
      rows: rows.slice(0, at.limit),
      total: count?.n ?? 0,
      next: rows.length > at.limit && last ? encodePageToken([Number(last.seq)]) : undefined,
    };
  }

  /** What was opened less resolved on each day of the window; what came before stands on the day before it. */
  async days(tenantId: string, from: string, to: string): Promise<DayDelta[]> {
    return this.work.query<DayDelta>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, severity, blast, delta
       FROM (SELECT greatest(day, $2::date - 1) AS day, severity, blast, sum(delta)::int AS delta FROM security_days
         WHERE tenant_id = $1 AND day <= $3::date AND waived_until <= now() GROUP BY 1, 2, 3) d`,
      [tenantId, from, to],
    );
  }

  async coverage(tenantId: string): Promise<{ total: number; scanned: number; last: Date | null }> {
    const [row] = await this.work.query<{ total: number; scanned: number; last: Date | null }>(
      `SELECT count(*)::int AS total, count(p.state_id)::int AS scanned, max(p.scanned_at) AS last
       FROM states s LEFT JOIN security_states p ON p.state_id = s.id WHERE s.tenant_id = $1`,
      [tenantId],
    );
    return row ?? { total: 0, scanned: 0, last: null };
  }
}
