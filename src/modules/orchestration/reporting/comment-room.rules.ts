/** What of a run's comment is shown where the provider takes no more; the rest is on the run's page. */

/** Parts of a comment are separated by an empty line. */
const SEPARATOR_LENGTH = 2;
const MIN_OUTPUT_LENGTH = 500;
const SHRINK = 0.8;

/** What is left of the characters that a comment may have. */
export class CommentRoom {
  constructor(private left: number) {}

  /** Counts a part, which is answered as it is. */
  add(part: string): string {
    this.left -= part.length + SEPARATOR_LENGTH;
    return part;
  }

  /** Characters of a part that may have a share of what is left. */
  share(fraction: number): number {
    return Math.max(Math.floor(this.left * fraction) - SEPARATOR_LENGTH, 0);
  }
}

/** One output that is shown: of a step in a dirspace, or of a hook. */
export interface Output {
  isHook: boolean;
  /** the lowest is shown first where not all can be */
  rank: number;
  length: number;
  /** with at most so many characters of the output, in a closed block */
  render: (maxLength: number) => string;
}

/** As many whole lines as fit below their title, and how many more there are. */
export function linesWithin(
  title: string,
  lines: readonly string[],
  room: number,
  more: (count: number) => string,
): string {
  const whole = [title, ...lines].join('\n');
  if (whole.length <= room) return whole;
  let length = title.length + 1 + more(lines.length).length;
  let count = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > room) break;
    count += 1;
  }
  return [title, ...lines.slice(0, count), more(lines.length - count)].join('\n');
}

/** Indexes of the lines that fit, the lowest ranks first, in their order. */
export function rankedWithin(lines: readonly { text: string; rank: number }[], room: number): number[] {
  const byRank = lines.map((_, at) => at).sort((a, b) => (lines[a]?.rank ?? 0) - (lines[b]?.rank ?? 0));
  let left = room;
  const kept: number[] = [];
  for (const at of byRank) {
    left -= (lines[at]?.text.length ?? 0) + 1;
    if (left < 0) break;
    kept.push(at);
  }
  return kept.sort((a, b) => a - b);
}

/** Outputs are cut evenly; those that are still too many are left out whole. */
export function outputsWithin(
  outputs: readonly Output[],
  room: number,
): { shown: string[]; left: readonly Output[] } {
  let perOutput = evenShare(
    outputs.map(({ length }) => length),
    room,
  );
  for (;;) {
    const shown = outputs.map(({ render }) => render(perOutput));
    if (shown.reduce((sum, { length }) => sum + length + SEPARATOR_LENGTH, 0) <= room)
      return { shown, left: [] };
    if (perOutput <= MIN_OUTPUT_LENGTH) break;
    perOutput = Math.max(Math.floor(perOutput * SHRINK), MIN_OUTPUT_LENGTH);
  }
  const shortest = outputs.map(({ render, rank }) => ({ text: `${render(MIN_OUTPUT_LENGTH)}\n`, rank }));
  const kept = new Set(rankedWithin(shortest, room));
  return {
    shown: shortest.flatMap(({ text }, at) => (kept.has(at) ? [text.slice(0, -1)] : [])),
    left: outputs.filter((_, at) => !kept.has(at)),
  };
}

/** The length to which the longest are cut, so that all of them together have no more than `room`. */
export function evenShare(lengths: readonly number[], room: number): number {
  let left = room;
  const sorted = [...lengths].sort((a, b) => a - b);
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at));
    if (length > share) return Math.max(share, MIN_OUTPUT_LENGTH);
    left -= length;
  }
  return Math.max(sorted.at(-1) ?? 0, MIN_OUTPUT_LENGTH);
}
