/** A near miss differs by at most so many characters. */
export const MAX_TYPING_DISTANCE = 2;

/** Levenshtein distance of two short names. */
export function typingDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_TYPING_DISTANCE || a.length > 100) return MAX_TYPING_DISTANCE + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
