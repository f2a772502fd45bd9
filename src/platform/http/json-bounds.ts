/** What a JSON body may hold. A member is a member of an object or an element of an array, at any depth. */
export interface JsonBounds {
  members: number;
  depth: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Checks JSON text in one pass over its bytes, before anything parses or walks it. Returns what exceeds a bound, or
 * undefined. The text need not be valid JSON: the parser finds that out.
 */
export function excessOf(bytes: Uint8Array, { members, depth }: JsonBounds): string | undefined {
  let nesting = 0;
  let count = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) count++;
    else if (byte === 0x7b || byte === 0x5b) {
      // The first member of an object or array follows no comma.
      count++;
      if (++nesting > depth) return `the body must not be nested more than ${depth} deep`;
    } else if (byte === 0x7d || byte === 0x5d) nesting--;
    if (count > members) return `the body must not have more than ${members} members`;
  }
  return undefined;
}
