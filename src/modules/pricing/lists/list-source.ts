import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const TIMEOUT_MS = 600_000;

/** The bytes of a file or of an `http(s)` address that the operator names; gzip is unpacked. */
export async function openList(source: string): Promise<AsyncIterable<Buffer>> {
  if (!/^https?:\/\//.test(source)) {
    const file = createReadStream(source);
    if (!source.endsWith('.gz')) return file as AsyncIterable<Buffer>;
    const unpacked = createGunzip();
    file.on('error', (error) => unpacked.destroy(error));
    return file.pipe(unpacked) as AsyncIterable<Buffer>;
  }
  const response = await fetch(source, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok || response.body === null)
    throw new Error(`${withoutQuery(source)} answered ${response.status}`);
  return Readable.fromWeb(response.body) as AsyncIterable<Buffer>;
}

/** A query may hold a key. */
export function withoutQuery(source: string): string {
  return source.replace(/\?.*$/s, '');
}

/** A page of a paged list; pages are small enough to be parsed whole. */
export async function readPage(source: string): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of await openList(source)) chunks.push(Buffer.from(chunk));
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}
