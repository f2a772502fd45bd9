import { httpErrors } from '../../platform/errors/index.js';

const MOST_BYTES = 16 * 1024;

/** Free metadata, as JSON that jsonb can hold. */
export function acceptableTags(tags: Record<string, unknown> | undefined): string {
  const text = JSON.stringify(tags ?? {});
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw httpErrors.INVALID_REQUEST('tags must not exceed 16 KiB of JSON');
  if (/\\u0000|\\ud[89a-f][\da-f]{2}/i.test(text))
    throw httpErrors.INVALID_REQUEST('tags must contain neither NUL nor a lone surrogate');
  return text;
}
