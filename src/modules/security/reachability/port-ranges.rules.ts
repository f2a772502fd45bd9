/** Ports from `from` to `to`, both included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export const ALL_PORTS: readonly PortRange[] = [{ from: 0, to: 65_535 }];

/** `22`, `20-30`, `all` or `*`, or a comma list of these; undefined for anything else. */
export function rangesOf(text: string): readonly PortRange[] | undefined {
  const ranges: PortRange[] = [];
  for (const part of text.split(',')) {
    const trimmed = part.trim().toLowerCase();
    if (trimmed === '*' || trimmed === 'all') return ALL_PORTS;
    const found = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(trimmed);
    if (!found) return undefined;
    ranges.push({ from: Number(found[1]), to: Number(found[2] ?? found[1]) });
  }
  return ranges;
}

export function textOfRanges(ranges: readonly PortRange[]): string {
  if (ranges.some(({ from, to }) => from === 0 && to >= 65_535)) return 'all';
  return merged(ranges)
    .map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`))
    .join(', ');
}

export function intersect(a: readonly PortRange[], b: readonly PortRange[]): PortRange[] {
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)];
      return from <= to ? [{ from, to }] : [];
    }),
  );
}

export function subtract(ranges: readonly PortRange[], taken: readonly PortRange[]): PortRange[] {
  return taken.reduce<PortRange[]>(
    (left, { from, to }) =>
      left.flatMap((range) => {
        if (to < range.from || from > range.to) return [range];
        return [
          { from: range.from, to: from - 1 },
          { from: to + 1, to: range.to },
        ].filter((part) => part.from <= part.to);
      }),
    [...ranges],
  );
}

export interface OrderedRule {
  readonly allows: boolean;
  readonly ports: readonly PortRange[];
}

/** The ports that rules in order leave open: the first one that names a port decides it; none of them closes it. */
export function openPorts(wanted: readonly PortRange[], rules: readonly OrderedRule[]): PortRange[] {
  let left: readonly PortRange[] = wanted;
  const open: PortRange[] = [];
  for (const { allows, ports } of rules) {
    if (allows) open.push(...intersect(left, ports));
    left = subtract(left, ports);
    if (left.length === 0) break;
  }
  return merged(open);
}

function merged(ranges: readonly PortRange[]): PortRange[] {
  const result: PortRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = result.at(-1);
    if (last !== undefined && range.from <= last.to + 1)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else result.push(range);
  }
  return result;
}
