import { open } from 'node:fs/promises';
import { FileProblem, MAX_FOOTER_BYTES } from './reader-messages.js';

/** A file ends with the length of its footer and `PAR1`; a footer that cannot be true is not even parsed. */
export async function requireParquetFooter(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const end = Buffer.alloc(8);
    if (size >= 12) await file.read(end, 0, 8, size - 8);
    const length = end.readUInt32LE(0);
    if (end.toString('latin1', 4) !== 'PAR1' || length + 12 > size)
      throw new FileProblem('the file is not a whole Parquet file');
    if (length > MAX_FOOTER_BYTES)
      throw new FileProblem(`the footer of the file exceeds ${MAX_FOOTER_BYTES} bytes`);
  } finally {
    await file.close();
  }
}
