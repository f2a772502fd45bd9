/** A page ends before the row that would exceed it, but has one row at least. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** A row of a list with the bytes of its text. */
export interface SizedRow {
  row_bytes: number;
}

/**
 * SQL: the rows of `select`, a statement ordered by `order`, up to the first one that does not fit into a page. That one
 * says that there is another page; the database does not send the rows behind it.
 */
export function sizedRows(select: string, order: string): string {
  return `SELECT s.* FROM (SELECT p.*, sum(p.row_bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS bytes_so_far
      FROM (SELECT r.*, octet_length(r::text) AS row_bytes FROM (${select}) r) p) s
    WHERE s.bytes_so_far - s.row_bytes <= ${MAX_PAGE_BYTES} ORDER BY ${order}`;
}

/** The first rows that fit into a page of at most `limit` rows. */
export function rowsOfPage<T extends SizedRow>(rows: readonly T[], limit: number): T[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => (bytes += row.row_bytes) > MAX_PAGE_BYTES && index > 0);
  return rows.slice(0, end === -1 ? limit : Math.min(end, limit));
}
