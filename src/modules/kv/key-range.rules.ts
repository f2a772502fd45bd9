/**
 * The smallest text that sorts after every text with this prefix, in byte order of UTF-8 (which is the order of code
 * points); undefined when there is none.
 */
export function endOfPrefix(prefix: string): string | undefined {
  const points = [...prefix].map((char) => char.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // Surrogates are no characters of their own and have no place in UTF-8.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}
