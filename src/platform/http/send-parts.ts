import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { clientLeft } from './client-left.js';

/** Sends an answer part by part, as fast as the client takes it: one part is in memory at a time. */
export async function sendParts(response: Response, parts: AsyncIterable<string | Buffer>): Promise<void> {
  try {
    await pipeline(Readable.from(parts, { objectMode: true, highWaterMark: 1 }), response);
  } catch (error) {
    // Whoever catches it cuts the connection: what was sent must not look like a complete answer.
    if (!clientLeft(error)) throw error;
  }
}
