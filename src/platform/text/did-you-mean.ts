/** The nearest of the known names, for a hint; undefined when none is near. */
export function nearest(
  name: string,
  known: Iterable<string>,
  reach = Math.ceil(Math.min(name.length, 64) / 3),
): string | undefined {
  const wanted = name.toLowerCase().slice(0, 64);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) > reach) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= reach && (!best || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name;
}

export function hint(name: string, known: Iterable<string>): string {
  const other = nearest(name, known);
  return other === undefined ? '' : `, did you mean "${other}"?`;
}

/** Levenshtein, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
