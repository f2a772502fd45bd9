/** Steps that matchers may take together: anybody may write globs that take long, and many of them. */
export class MatchingBudget {
  constructor(private left = 100_000_000) {}

  /** Throws `MatchingTooLong` when nothing is left, from then on at every call. */
  take(): void {
    if (--this.left < 0) throw new MatchingTooLong('matching the globs takes too long');
  }
}
export class MatchingTooLong extends Error {}

/**
 * Globs over paths: `*` matches within a segment, `?` one character, `**` any number of segments. Everything else is
 * itself. Both levels go back to the last star only, so the time is bounded by pattern length times path length,
 * and by the budget.
 */
export function globMatcher(pattern: string, budget = new MatchingBudget()): (path: string) => boolean {
  if (!/[*?]/.test(pattern)) return (path) => path === pattern;
  const segments = pattern.split('/');
  return (path) =>
    matchesSequence(segments, path.split('/'), { star: '**', matches: matchesSegment, budget });
}

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

function matchesSegment(pattern: string, text: string, budget: MatchingBudget): boolean {
  if (pattern === '*') return true;
  return matchesSequence(pattern, text, { star: '*', matches: matchesCharacter, budget });
}

function matchesCharacter(pattern: string, character: string): boolean {
  return pattern === '?' || pattern === character;
}

interface Sequence {
  readonly length: number;
  readonly [index: number]: string;
}

interface Matching {
  star: string;
  matches: (pattern: string, item: string, budget: MatchingBudget) => boolean;
  budget: MatchingBudget;
}

function matchesSequence(pattern: Sequence, items: Sequence, { star, matches, budget }: Matching): boolean {
  let p = 0;
  let i = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (i < items.length) {
    budget.take();
    const expected = pattern[p];
    if (expected === star) {
      starAt = p++;
      resumeAt = i;
    } else if (expected !== undefined && matches(expected, items[i] ?? '', budget)) {
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
