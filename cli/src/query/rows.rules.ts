import { membersOf } from './raw-json.rules.js';

export interface Rows {
  columns: string[];
  /** null is SQL's NULL */
  cells: (string | null)[][];
}

/** Rows of a query as text: strings without quotes, everything else as JSON writes it. */
export function rowsOfQuery(rows: readonly string[]): Rows {
  const objects = rows.map(membersOf);
  const columns = [...(objects[0]?.keys() ?? [])];
  return { columns, cells: objects.map((object) => columns.map((column) => cell(object.get(column)))) };
}

function cell(raw: string | undefined): string | null {
  if (raw === undefined || raw === 'null') return null;
  return raw.startsWith('"') ? (JSON.parse(raw) as string) : raw;
}

/** RFC 4180 with plain newlines; NULL is nothing, an empty string is a pair of quotes. */
export function csv({ columns, cells }: Rows): string {
  if (columns.length === 0) return '';
  return [columns, ...cells].map((line) => `${line.map(csvField).join(',')}\n`).join('');
}

function csvField(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
