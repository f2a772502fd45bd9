import { Injectable } from '@nestjs/common';
import { type SizedRow, sizedRows, UnitOfWork } from '../../platform/database/index.js';
import { decodeTimeAndId } from '../../platform/http/index.js';
import { timeBound } from '../../platform/time/time-bound.rules.js';
import type { SubmissionStatus } from './entities/state-submission.entity.js';
import { type Page, paged } from './states.queries.js';

export interface SubmissionRow extends SizedRow {
  id: string;
  status: SubmissionStatus;
  serial: string;
  created_at: Date;
  created_by: string | null;
  conflicts_with: string[];
  base_version: number | null;
  resulting_serial: string | null;
  key: string;
}

export interface TenantSubmissionRow extends SubmissionRow {
  state_id: string;
  state_name: string;
  created_by_name: string | null;
}

interface SubmissionFilters {
  status?: SubmissionStatus | undefined;
  /** bounds of the creation time, as `timeBound` reads them */
  from?: string | undefined;
  to?: string | undefined;
}

/** Lists of documents that were refused or merged, newest first. */
@Injectable()
export class SubmissionQueries {
  constructor(private readonly work: UnitOfWork) {}

  async ofState(
    stateId: string,
    status: SubmissionStatus | undefined,
    limit: number,
    page: string | undefined,
  ): Promise<Page<SubmissionRow>> {
    const { time, id } = page === undefined ? { time: null, id: null } : decodeTimeAndId(page);
    const rows = await this.work.query<SubmissionRow>(
      sizedRows(
        `SELECT s.id, s.status, s.serial, s.created_at, s.created_by, s.conflicts_with, s.base_version, s.created_at::text AS key, v.serial AS resulting_serial
         FROM state_submissions s LEFT JOIN state_versions v ON v.state_id = s.state_id AND v.version = s.resulting_version
         WHERE s.state_id = $1 AND ($2::text IS NULL OR s.status = $2)
           AND ($3::timestamptz IS NULL OR (s.created_at, s.id) < ($3::timestamptz, $4::uuid))
         ORDER BY s.created_at DESC, s.id DESC LIMIT $5`,
        'created_at DESC, id DESC',
      ),
      [stateId, status ?? null, time, id, limit + 1],
    );
    return paged(rows, limit, (row) => [row.key, row.id]);
  }

  /** Reads the newest of each state by its index: submissions have no index of their own by tenant. */
  async ofTenant(
    tenantId: string,
    { status, from, to }: SubmissionFilters,
    limit: number,
    page: string | undefined,
  ): Promise<Page<TenantSubmissionRow>> {
    const { time, id } = page === undefined ? { time: null, id: null } : decodeTimeAndId(page);
    const rows = await this.work.query<TenantSubmissionRow>(
      sizedRows(
        `SELECT s.id, s.status, s.serial, s.created_at, s.created_by, s.conflicts_with, s.base_version, s.created_at::text AS key,
           v.serial AS resulting_serial, t.id AS state_id, t.name AS state_name, u.name AS created_by_name
         FROM states t CROSS JOIN LATERAL (
             SELECT * FROM state_submissions s WHERE s.state_id = t.id AND ($2::text IS NULL OR s.status = $2)
               AND ($3::timestamptz IS NULL OR s.created_at >= $3::timestamptz)
               AND ($4::timestamptz IS NULL OR s.created_at <= $4::timestamptz)
               AND ($5::timestamptz IS NULL OR (s.created_at, s.id) < ($5::timestamptz, $6::uuid))
             ORDER BY s.created_at DESC, s.id DESC LIMIT $7) s
           LEFT JOIN state_versions v ON v.state_id = s.state_id AND v.version = s.resulting_version
           LEFT JOIN users u ON u.id = s.created_by
         WHERE t.tenant_id = $1 ORDER BY s.created_at DESC, s.id DESC LIMIT $7`,
        'created_at DESC, id DESC',
      ),
      [tenantId, status ?? null, timeBound('from', from), timeBound('to', to), time, id, limit + 1],
    );
    return paged(rows, limit, (row) => [row.key, row.id]);
  }
}
