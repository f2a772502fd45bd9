import { Injectable } from '@nestjs/common';
import { rowsOfPage, type SizedRow, sizedRows, UnitOfWork } from '../../platform/database/index.js';
import {
  decodePosition,
  decodeTimeAndId,
  encodePageToken,
  LARGEST_INTEGER,
} from '../../platform/http/index.js';
import { SubmissionStatus } from './entities/state-submission.entity.js';

export interface Page<T> {
  rows: T[];
  next: string | undefined;
}

export interface VersionRow extends SizedRow {
  version: number;
  serial: string;
  lineage: string;
  size: string;
  origin: string;
  tx_id: string;
  created_at: Date;
  created_by: string | null;
  created_by_name: string | null;
}

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

/** Lists for responses, one statement each, by keyset. */
@Injectable()
export class StateQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** Newest first. */
  async versions(stateId: string, limit: number, page: string | undefined): Promise<Page<VersionRow>> {
    const before = page === undefined ? null : decodePosition(page, LARGEST_INTEGER);
    const rows = await this.work.query<VersionRow>(
      sizedRows(
        `SELECT v.version, v.serial, v.lineage, v.size, v.origin, v.tx_id, v.created_at, v.created_by, u.name AS created_by_name
         FROM state_versions v LEFT JOIN users u ON u.id = v.created_by
         WHERE v.state_id = $1 AND ($2::int IS NULL OR v.version < $2::int) ORDER BY v.version DESC LIMIT $3`,
        'version DESC',
      ),
      [stateId, before, limit + 1],
    );
    return paged(rows, limit, (row) => [row.version]);
  }

  /** Newest first. */
  async submissions(
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
}

function paged<T extends SizedRow>(rows: T[], limit: number, key: (row: T) => (string | number)[]): Page<T> {
  const kept = rowsOfPage(rows, limit);
  const last = kept.at(-1);
  return { rows: kept, next: rows.length > kept.length && last ? encodePageToken(key(last)) : undefined };
}
