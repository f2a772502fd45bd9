import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { clientLeft } from './client-left.js';

const PIPELINE_LISTENERS = 10;

/** Sends an answer part by part, as fast as the client takes it: one part is in memory at a time. */
export async function sendParts(response: Response, parts: AsyncIterable<string | Buffer>): Promise<void> {
  // The pipeline adds listeners of its own to those of logs and metrics; Node.js takes more than ten for a leak.
  response.setMaxListeners(response.getMaxListeners() + PIPELINE_LISTENERS);
  try {
    await pipeline(Readable.from(parts, { objectMode: true, highWaterMark: 1 }), response);
  } catch (error) {
    // Whoever catches it cuts the connection: what was sent must not look like a complete answer.
    if (!clientLeft(error)) throw error;
  }
}
