/** Limits of the key-value store (contract notes, section 8). Sizes are bytes of UTF-8. */
export const MAX_KEY_BYTES = 512;
export const MAX_IDX = 32_767;
export const MAX_SELECTED_PATHS = 50;
export const MAX_COMMIT_KEYS = 1_000;
export const DEFAULT_ITERATION_LIMIT = 30;
export const MAX_ITERATION_LIMIT = 1_000;
export const MAX_ITERATION_BYTES = 16 * 1024 * 1024;
/** A JSON escape such as \u0001 takes six bytes for one byte of data. */
const LONGEST_ESCAPE_BYTES = 6;
const OTHER_FIELDS_BYTES = 64 * 1024;

const OTHER_BYTES_OF_A_PLACE = 64;

/**
 * Largest body of a write whose data has at most `maxDataSize` bytes, and of a commit, however their characters are
 * escaped.
 */
export function maxBodySize(maxDataSize: number): number {
  const place = MAX_KEY_BYTES * LONGEST_ESCAPE_BYTES + OTHER_BYTES_OF_A_PLACE;
  return Math.max(maxDataSize * LONGEST_ESCAPE_BYTES + OTHER_FIELDS_BYTES, MAX_COMMIT_KEYS * place);
}
