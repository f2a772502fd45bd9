/**
 * Globs over paths: `*` matches within a segment, `?` one character, `**` any number of segments. Everything else is
 * itself. Both levels go back to the last star only, so the time is bounded by pattern length times path length.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (!/[*?]/.test(pattern)) return (path) => path === pattern;
  const segments = pattern.split('/');
  return (path) => matchesSequence(segments, path.split('/'), '**', matchesSegment);
}

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

function matchesSegment(pattern: string, text: string): boolean {
  if (pattern === '*') return true;
  return matchesSequence(pattern, text, '*', (p, c) => p === '?' || p === c);
}

interface Sequence {
  readonly length: number;
  readonly [index: number]: string;
}

function matchesSequence(
  pattern: Sequence,
  items: Sequence,
  star: string,
  matches: (pattern: string, item: string) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (i < items.length) {
    const expected = pattern[p];
    if (expected === star) {
      starAt = p++;
      resumeAt = i;
    } else if (expected !== undefined && matches(expected, items[i] ?? '')) {
      p++;
      i++;
    } else if (starAt >= 0) {
      p = starAt + 1;
      i = ++resumeAt;
    } else return false;
  }
  while (pattern[p] === star) p++;
  return p === pattern.length;
}
