import { Injectable } from '@nestjs/common';
import { rowsOfPage, type SizedRow, sizedRows, UnitOfWork } from '../../platform/database/index.js';
import { decodePosition, encodePageToken, LARGEST_INTEGER } from '../../platform/http/index.js';

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
}

/** The rows of a page, with the token of the next one when there is more. */
export function paged<T extends SizedRow>(
  rows: T[],
  limit: number,
  key: (row: T) => (string | number)[],
): Page<T> {
  const kept = rowsOfPage(rows, limit);
  const last = kept.at(-1);
  return { rows: kept, next: rows.length > kept.length && last ? encodePageToken(key(last)) : undefined };
}
