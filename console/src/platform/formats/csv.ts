import { textOf } from '../client';

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180 with a header and CRLF; text that a spreadsheet would run begins with an apostrophe. */
export function toCsv(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const lines = [columns.map(textField), ...rows.map((row) => columns.map((column) => field(row[column])))];
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('');
}

function field(value: unknown): string {
  // Numbers may begin with a minus and are what they are.
  return typeof value === 'string' || isContainer(value) ? textField(textOf(value)) : textOf(value);
}

function isContainer(value: unknown): boolean {
  return (
    Array.isArray(value) ||
    (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
  );
}

function textField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
