/** Which object names a path with `*` and `**` stands for, and what they all begin with. */
export interface ObjectPattern {
  /** everything before the first glob, up to its last slash; the whole name without a glob */
  readonly prefix: string;
  matches(name: string): boolean;
}

/** `*` stays within a folder, `**` crosses folders; a slash at the end means everything below it. */
export function objectPattern(path: string): ObjectPattern {
  const whole = path.endsWith('/') ? `${path}**` : path;
  const glob = whole.indexOf('*');
  const prefix = glob < 0 ? whole : whole.slice(0, whole.lastIndexOf('/', glob) + 1);
  const segments = whole.split('/');
  return { prefix, matches: (name) => matchSegments(segments, name.split('/')) };
}

/** Rows of a table of what the first segments of both sides can agree in: linear for every number of `**`. */
function matchSegments(pattern: readonly string[], name: readonly string[]): boolean {
  let reachable = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    for (const at of reachable) {
      if (part === '**') for (let to = at; to <= name.length; to++) next.add(to);
      else if (at < name.length && matchSegment(part, name[at] ?? '')) next.add(at + 1);
    }
    reachable = next;
  }
  return reachable.has(name.length);
}

/** One segment with `*`, greedily from the left with one point to go back to: no exponential time. */
export function matchSegment(pattern: string, text: string): boolean {
  let [at, star, from, in_] = [0, -1, 0, 0];
  while (in_ < text.length) {
    if (at < pattern.length && pattern[at] === '*') [star, from, at] = [at, in_, at + 1];
    else if (at < pattern.length && pattern[at] === text[in_]) [at, in_] = [at + 1, in_ + 1];
    else if (star >= 0) [at, from, in_] = [star + 1, from + 1, from + 1];
    else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
