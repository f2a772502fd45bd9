import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { clientLeft } from '../../../platform/http/index.js';
import type { ServedDocument } from '../chunks/document-reading.service.js';

/** Streams a document with its checksum, compressed as it is stored when the client takes gzip. */
export async function sendDocument(
  request: Request,
  response: Response,
  document: ServedDocument,
): Promise<void> {
  response.set({
    'Content-Type': 'application/json',
    'Content-MD5': document.md5,
    ETag: document.etag,
    'Cache-Control': 'no-store',
    Vary: 'Accept-Encoding',
  });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  const compressed = document.size > 1024 && request.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (compressed) response.set('Content-Encoding', 'gzip');
  else response.set('Content-Length', String(document.size));
  try {
    await pipeline(compressed ? document.gzip() : document.plain(), response);
  } catch (error) {
    // Whoever catches it cuts the connection: what was sent must not look like a complete answer.
    if (!clientLeft(error)) throw error;
  }
}
