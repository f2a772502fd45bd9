import { open } from 'node:fs/promises';
import { csvHeader } from './csv-header.rules.js';
import { FileProblem, MAX_COLUMNS, MAX_HEADER_BYTES } from './reader-messages.js';

/** Names of the columns of a CSV file. Throws a `FileProblem` for files without one, or with too many columns. */
export async function readCsvHeader(path: string): Promise<string[]> {
  const file = await open(path, 'r');
  try {
    const start = Buffer.alloc(MAX_HEADER_BYTES);
    const { bytesRead } = await file.read(start, 0, MAX_HEADER_BYTES, 0);
    if (bytesRead === 0) throw new FileProblem('the file is empty');
    const text = start.toString('utf8', 0, bytesRead);
    // A file that ends with its header has no lines, and needs no line break either.
    const names = csvHeader(bytesRead < MAX_HEADER_BYTES ? `${text}\n` : text);
    if (!names) throw new FileProblem('the header is not a line of CSV');
    if (names.length > MAX_COLUMNS) throw new FileProblem(`the file has more than ${MAX_COLUMNS} columns`);
    return names;
  } finally {
    await file.close();
  }
}
