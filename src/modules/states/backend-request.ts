import type { Request } from 'express';
import { httpErrors } from '../../platform/errors/index.js';
import type { DocumentBody } from './document-intake.js';

const LARGEST_LOCK = 64 * 1024;

/** The raw body of a write, not read yet. Leaving it early does not close the connection: the answer still goes out. */
export function documentBodyOf(request: Request): DocumentBody {
  const length = request.headers['content-length'];
  const md5 = request.headers['content-md5'];
  return {
    bytes: request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>,
    length: length === undefined ? undefined : Number(length),
    md5: typeof md5 === 'string' && md5 !== '' ? md5 : undefined,
  };
}

/** The body of LOCK and UNLOCK. */
export async function lockBodyOf(request: Request): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LARGEST_LOCK) throw httpErrors.PAYLOAD_TOO_LARGE('a lock may have 64 KiB at most');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export function textQuery(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
