import { printableLine } from './printable.rules.js';

const GAP = '  ';
const SHORTEST = 8;

/**
 * Columns side by side; with a width, the widest columns give way until a row fits on a line. A column headed ID stays whole:
 * a part of an id helps nobody.
 */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  width?: number,
): string {
  const lines = [headers, ...rows].map((row) => row.map(printableLine));
  const widths = headers.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column]))));
  const whole = new Set(headers.flatMap((header, column) => (/(^| )ID$/.test(header) ? [column] : [])));
  if (width !== undefined) narrow(widths, whole, width - GAP.length * (headers.length - 1));
  return lines
    .map((line) =>
      widths
        .map((size, column) => fit(line[column] ?? '', size))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

function narrow(widths: number[], whole: ReadonlySet<number>, room: number): void {
  const flexible = widths.flatMap((_, column) => (whole.has(column) ? [] : [column]));
  if (flexible.length === 0) return;
  for (let excess = sum(widths) - room; excess > 0; excess--) {
    const widest = flexible.reduce((a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a));
    if ((widths[widest] ?? 0) <= SHORTEST) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function fit(text: string, size: number): string {
  const characters = [...text];
  if (characters.length > size) return `${characters.slice(0, size - 1).join('')}…`;
  return text + ' '.repeat(size - characters.length);
}

function lengthOf(text = ''): number {
  return [...text].length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
