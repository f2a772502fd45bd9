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

/** The name that a person may have meant. */
export function nearMiss(
  key: string,
  known: Iterable<string>,
  maxDistance = MAX_TYPING_DISTANCE,
): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = typingDistance(key, name);
    if (distance <= maxDistance && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name;
}

export function suggestion(key: string, known: Iterable<string>): string {
  const near = nearMiss(key, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
