import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { RowLimit } from './fields.js';
import { decodeTimeAndId, encodePageToken } from './page-token.js';

/** Query of a cursor list (interface.md 4.0). */
export class CursorQuery {
  @ApiPropertyOptional({ type: String, description: 'value of the previous `next_cursor`' })
  @IsOptional()
  @IsString()
  cursor?: string;

  @RowLimit(25)
  limit?: number;
}

export const DEFAULT_CURSOR_LIMIT = 25;

/** What every cursor list says besides its rows. */
export interface CursorPage<Row> {
  rows: Row[];
  total_count: number;
  limit: number;
  has_more: boolean;
  /** null at the end */
  next_cursor: string | null;
}

/** The usual sort keys, a time and an id, ready for a row comparison in SQL; undefined for the first page. */
export function timeAndIdAfter(query: CursorQuery): { time: string; id: string } | undefined {
  return query.cursor === undefined ? undefined : decodeTimeAndId(query.cursor, 'cursor');
}

/** Builds a page from one row more than the limit, whose presence says that there is another page. */
export function cursorPage<Row>(
  rows: readonly Row[],
  limit: number,
  total: number,
  keysOf: (row: Row) => (string | number | null)[],
): CursorPage<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    rows: shown,
    total_count: total,
    limit,
    has_more: more,
    next_cursor: more ? encodePageToken(keysOf(last)) : null,
  };
}
