import type { DrawnNode } from './graph-folding';

export type ColorBy = 'type' | 'module' | 'distance';
export const COLOR_CHOICES: readonly ColorBy[] = ['type', 'module', 'distance'];

/** Told apart on light and on dark, also by most people who see colors differently. */
const PALETTE = [
  '#3b82c4',
  '#d9822b',
  '#3d9a5f',
  '#b5487a',
  '#7a5fc0',
  '#8a6d3b',
  '#2a9da8',
  '#c0504d',
  '#6b8e23',
];
const OTHERS = '#868e96';

export interface LegendEntry {
  name: string;
  color: string;
  count: number;
}

/** A color for each of the most frequent values, the same for the same drawing. */
export function legendOf(nodes: readonly DrawnNode[], by: ColorBy): LegendEntry[] {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(valueOf(node, by), (counts.get(valueOf(node, by)) ?? 0) + node.size);
  const ordered = [...counts].toSorted(([a, x], [b, y]) =>
    by === 'distance' ? Number(a) - Number(b) : y - x || (a < b ? -1 : 1),
  );
  const shown = ordered
    .slice(0, PALETTE.length)
    .map(([name, count], index) => ({ name, count, color: PALETTE[index] ?? OTHERS }));
  const rest = ordered.slice(PALETTE.length).reduce((sum, [, count]) => sum + count, 0);
  return rest === 0 ? shown : [...shown, { name: 'others', color: OTHERS, count: rest }];
}

export function colorOf(node: DrawnNode, by: ColorBy, legend: readonly LegendEntry[]): string {
  return legend.find(({ name }) => name === valueOf(node, by))?.color ?? OTHERS;
}

function valueOf(node: DrawnNode, by: ColorBy): string {
  return by === 'distance' ? String(node.distance) : node[by];
}
