import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { httpErrors } from '../errors/app-error.js';
import { atPace, type BodyPace, SMALL_BODY_PACE } from './body-pace.js';
import { ClientLeft } from './client-left.js';
import { excessOf, type JsonBounds } from './json-bounds.js';

/**
 * Bytes that are read and dropped of a body that is refused. A proxy counts a body as sent that lies in the buffers of
 * the system and then sends the next request on the same connection, so this must exceed what those buffers hold.
 */
export const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

export interface BodyLimit {
  /** after decompression */
  bytes: number;
  pace?: BodyPace;
  tooLarge?: string;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The bytes of a body as they come. Leaving the iteration early leaves the connection open for the answer. */
export async function* arriving(request: IncomingMessage, pace: BodyPace): AsyncGenerator<Buffer> {
  try {
    yield* atPace(request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>, pace);
  } catch (error) {
    if (request.errored) throw new ClientLeft();
    throw error;
  }
}

/** Reads a whole body, inflated; 413 beyond the limit, 408 when the sender is too slow. */
export async function readBody(request: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  const { pace = SMALL_BODY_PACE } = limit;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit.bytes + MAX_DROPPED_BYTES) throw httpErrors.PAYLOAD_TOO_LARGE(limit.tooLarge);
  const parts: Buffer[] = [];
  let size = 0;
  // A client that is cut off while it sends never sees the answer, so what is too large is still read within reason.
  for await (const part of inflated(request, arriving(request, pace))) {
    size += part.length;
    if (size <= limit.bytes) parts.push(part);
    else parts.length = 0;
    if (size > limit.bytes && (isCompressed(request) || size > limit.bytes + MAX_DROPPED_BYTES)) break;
  }
  if (size > limit.bytes) throw httpErrors.PAYLOAD_TOO_LARGE(limit.tooLarge);
  return Buffer.concat(parts);
}

/** Parses a JSON object or array within bounds; the text is checked before it is parsed. */
export function parseJson(bytes: Buffer, bounds: JsonBounds): unknown {
  refuseExcess(bytes, bounds);
  const text = bytes.toString();
  try {
    if (/^[\s\ufeff]*[{[]/.test(text)) return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // The parser's message quotes the body.
  }
  throw httpErrors.INVALID_REQUEST('the body is not valid JSON');
}

export function refuseExcess(bytes: Uint8Array, bounds: JsonBounds): void {
  const excess = excessOf(bytes, bounds);
  if (excess !== undefined) throw httpErrors.INVALID_REQUEST(excess);
}

function isCompressed({ headers }: IncomingMessage): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

async function* inflated(request: IncomingMessage, bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (!isCompressed(request)) {
    yield* bytes;
    return;
  }
  const inflate = decompressorOf(request.headers['content-encoding']?.toLowerCase());
  const feeding = pipeline(Readable.from(bytes), inflate);
  feeding.catch(() => undefined);
  try {
    yield* inflate as AsyncIterable<Buffer>;
    await feeding;
  } catch (error) {
    if (isOfZlib(error)) throw httpErrors.INVALID_REQUEST('the body is not valid JSON');
    throw error;
  }
}

function decompressorOf(encoding: string | undefined): ReturnType<typeof createGunzip> {
  if (encoding === 'gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  throw httpErrors.INVALID_REQUEST('Content-Encoding must be gzip, deflate, br or identity');
}

function isOfZlib(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  // Brotli's codes are made of its own names, such as ERR__ERROR_FORMAT_PADDING_1.
  return typeof error.code === 'string' && /^(Z_|ERR_ZLIB|ERR_BROTLI|ERR__ERROR)/.test(error.code);
}
