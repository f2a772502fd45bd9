import { hash } from 'node:crypto';
import type { Request } from 'express';
import { httpErrors } from '../../../platform/errors/index.js';
import type { DocumentBody } from '../chunks/document-intake.js';
import { arriving, DOCUMENT_PACE, readBody } from '../../../platform/http/index.js';
import { stateErrors } from '../states.errors.js';

const MAX_LOCK_BYTES = 64 * 1024;

/** The raw body of a write, not read yet. */
export function documentBodyOf(request: Request): DocumentBody {
  const length = request.headers['content-length'];
  return {
    bytes: arriving(request, DOCUMENT_PACE),
    length: length === undefined ? undefined : Number(length),
    md5: md5Of(request),
  };
}

/** The body of LOCK and UNLOCK, checked as that of a write is. */
export async function lockBodyOf(request: Request): Promise<Buffer> {
  const body = await readBody(request, {
    bytes: MAX_LOCK_BYTES,
    tooLarge: 'the body of a lock must not exceed 64 KiB',
  });
  const md5 = md5Of(request);
  if (md5 !== undefined && hash('md5', body, 'base64') !== md5)
    throw stateErrors.CHECKSUM_MISMATCH(undefined, { 'Retry-After': '1' });
  return body;
}

function md5Of(request: Request): string | undefined {
  const md5 = request.headers['content-md5'];
  return typeof md5 === 'string' && md5 !== '' ? md5 : undefined;
}

/** The part of the document that is asked for; undefined is the whole. A misspelt one must not give more than was meant. */
export function viewOf(request: Request): 'outputs' | undefined {
  const view = request.query['view'];
  if (view === undefined || view === '') return undefined;
  if (view !== 'outputs') throw httpErrors.INVALID_REQUEST('view must be outputs');
  return view;
}
