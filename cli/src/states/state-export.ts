import { statesExport, stateVersionsSubmission } from '@infrastate/sdk';
import { createHash } from 'node:crypto';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';

/** Which document of a state: its current one, or a submission. */
export interface DocumentName {
  stateId: string;
  submissionId?: string;
}

/** The document as the service streams it, checked against the checksum that came with it. */
async function* documentOf(
  context: Context,
  { stateId, submissionId }: DocumentName,
): AsyncGenerator<Uint8Array> {
  const client = context.api();
  const { data, response } =
    submissionId === undefined
      ? await statesExport({ client, path: { stateId }, parseAs: 'stream' })
      : await stateVersionsSubmission({ client, path: { stateId, submissionId }, parseAs: 'stream' });
  const md5 = createHash('md5');
  for await (const part of data as unknown as ReadableStream<Uint8Array>) {
    md5.update(part);
    yield part;
  }
  const expected = response.headers.get('content-md5');
  if (expected !== null && expected !== md5.digest('base64'))
    throw new Failure('EXPORT_DAMAGED', 'the document does not match its checksum; export it again');
}

/** Answers the bytes written. */
export async function exportToStdout(context: Context, name: DocumentName): Promise<number> {
  let bytes = 0;
  for await (const part of documentOf(context, name)) {
    bytes += part.length;
    await context.output.write(part);
  }
  return bytes;
}

/** The file appears when it is complete, readable by its owner: documents hold secrets. */
export async function exportToFile(context: Context, name: DocumentName, file: string): Promise<number> {
  const draft = `${file}.${process.pid}.part`;
  const target = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
  try {
    await pipeline(Readable.from(documentOf(context, name)), target);
    renameSync(draft, file);
    return target.bytesWritten;
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof Failure) throw error;
    throw new Failure('FILE_UNWRITABLE', `${file} cannot be written: ${(error as Error).message}`);
  }
}
