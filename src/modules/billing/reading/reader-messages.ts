/** What the reading process is told at its start, as its only argument. */
export interface ReaderStart {
  /** the only folder that the reader may touch */
  folder: string;
  memoryBytes: number;
}

/** One line of JSON for each request and each answer. */
export type ReaderRequest =
  | { do: 'read'; file: string; kind: 'csv' | 'parquet'; provider: string; from: string; until: string }
  | { do: 'write'; file: string };

export type ReaderAnswer =
  | { lines: number }
  /** days are `YYYY-MM-DD` */
  | { rows: number; months: string[] }
  /** what is wrong with the file, for users: no content of it */
  | { problem: string };

/** A reason that users are shown. */
export class FileProblem extends Error {}

export const MAX_COLUMNS = 2_000;
export const MAX_HEADER_BYTES = 1024 * 1024;
export const MAX_LINE_BYTES = 2_000_000;
/** Longer footers belong to no billing file: they describe a table with very many columns. */
export const MAX_FOOTER_BYTES = 16 * 1024 * 1024;

/** Columns of the file that the reader writes, in order. Texts are never null. */
export const GATHERED_COLUMNS = [
  ...['charge_date', 'provider', 'account_id', 'billing_period', 'resource_id', 'resource_type'],
  ...['service_name', 'region_id', 'charge_category', 'currency', 'tags'],
  ...['billed_whole', 'billed_fraction', 'effective_whole', 'effective_fraction', 'line_count'],
] as const;

/** Reads billing files and sums them up. */
export interface ReaderEngine {
  /** Answers how many lines of the window the file has; throws a `FileProblem`. */
  read(request: Extract<ReaderRequest, { do: 'read' }>): Promise<number>;
  /** Writes `GATHERED_COLUMNS` of all files as CSV without a header. */
  write(file: string): Promise<{ rows: number; months: string[] }>;
}
