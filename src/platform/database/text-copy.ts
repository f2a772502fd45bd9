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
  if (rows.length === 0) return;
  const stream = (await work.client()).query(copyFrom(`COPY ${table} FROM STDIN`));
  await pipeline(Readable.from(parts(rows), { objectMode: false }), stream);
}

function* parts(rows: readonly (readonly Field[])[]): Generator<Buffer> {
  for (let at = 0; at < rows.length; at += LINES_PER_PART)
    yield Buffer.from(
      rows
        .slice(at, at + LINES_PER_PART)
        .map((row) => `${row.map(textOf).join('\t')}\n`)
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
