/** Characters of one stored fragment: at most four bytes each, so that it stays below 32 MiB. */
export const FRAGMENT_LENGTH = 4 * 1024 * 1024;

/** A text in pieces of at most `length` UTF-16 units; a pair of surrogates is never parted. */
export function fragmentsOf(text: string, length = FRAGMENT_LENGTH): string[] {
  const fragments: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + length, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1)))
      end = end - 1 > at ? end - 1 : end + 1;
    fragments.push(text.slice(at, end));
    at = end;
  }
  return fragments;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
