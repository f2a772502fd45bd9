import type { ReadableStreamReadResult } from 'node:stream/web';

/** The answer is larger than the caller takes. */
export class BodyTooLarge extends Error {}

/** Reads a body of at most `maxBytes`; `Content-Length` is not believed. */
export async function readBounded(response: Response, maxBytes: number): Promise<Buffer> {
  const reader = response.body?.getReader();
  if (!reader) return Buffer.alloc(0);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = (await reader.read()) as ReadableStreamReadResult<Uint8Array>;
    if (done) return Buffer.concat(parts);
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw new BodyTooLarge(`the answer exceeds ${maxBytes} bytes`);
    }
    parts.push(value);
  }
}
