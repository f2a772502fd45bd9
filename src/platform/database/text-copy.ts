import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { storableText } from './storable-text.js';
import type { UnitOfWork } from './unit-of-work.js';

export type Field = string | number | boolean | null | undefined;

const LINES_PER_PART = 200;

/** `COPY … FROM STDIN` of rows in the text form, on the transaction's connection. `table` can name its columns. */
export async function copyRows(
  work: UnitOfWork,
  table: string,
  rows: readonly (readonly Field[])[],
): Promise<void> {
  if (rows.length > 0) await copyText(work, table, parts(rows));
}

/** The same of lines that `copyLine` made. */
export async function copyText(work: UnitOfWork, table: string, text: Iterable<Buffer>): Promise<void> {
  const stream = (await work.client()).query(copyFrom(`COPY ${table} FROM STDIN`));
  await pipeline(Readable.from(text, { objectMode: false }), stream);
}

/** A row in the text form. Fields are separated by tabs; tabs and line breaks in them are escaped. */
export function copyLine(row: readonly Field[]): string {
  return `${row.map(textOf).join('\t')}\n`;
}

/** The text of a field that is not null. */
export function copiedText(field: string): string {
  return field.replace(/\\([\\tnr])/g, (_whole, letter: string) => UNESCAPED[letter] ?? letter);
}

function* parts(rows: readonly (readonly Field[])[]): Generator<Buffer> {
  for (let at = 0; at < rows.length; at += LINES_PER_PART)
    yield Buffer.from(
      rows
        .slice(at, at + LINES_PER_PART)
        .map(copyLine)
        .join(''),
    );
}

function textOf(field: Field): string {
  if (field === null || field === undefined) return '\\N';
  if (typeof field !== 'string') return String(field);
  const text = storableText(field);
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found) : text;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const UNESCAPED: Record<string, string> = { t: '\t', n: '\n', r: '\r' };
