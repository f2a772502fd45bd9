import { Decimal } from '../../pricing/index.js';
import type { CostBreakdownView } from '../dto/cost.dto.js';

export const UNTAGGED = 'untagged';
/** What further names of a breakdown are summed up as. */
export const REST = 'other';
/** Names of a breakdown, and of the groups of a history. */
export const MAX_NAMES = 1_000;
export const MAX_GROUPS = 100;

/** Instances and cost in one currency under one name. */
export interface BreakdownRow {
  name: string;
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

/** Rows of one name are added up. */
export function mergeByName<T extends BreakdownRow>(rows: readonly T[]): BreakdownRow[] {
  const merged = new Map<string, BreakdownRow>();
  for (const row of rows) addTo(merged, row);
  return [...merged.values()];
}

/** Dearest first, then by name. */
export function dearestFirst<T extends { name: string; monthly: Decimal }>(rows: readonly T[]): T[] {
  return [...rows].sort(
    (left, right) => right.monthly.compare(left.monthly) || (left.name < right.name ? -1 : 1),
  );
}

/** What has the tag by value, and the rest of the total as `untagged`. */
export function withUntagged(
  rows: readonly BreakdownRow[],
  total: Omit<BreakdownRow, 'name'>,
): BreakdownRow[] {
  const rest = rows.reduce<Omit<BreakdownRow, 'name'>>(
    (left, row) => ({
      count: left.count - row.count,
      monthly: left.monthly.minus(row.monthly),
      hourly: left.hourly.minus(row.hourly),
    }),
    total,
  );
  return rest.count > 0 || !rest.monthly.isZero() ? [...rows, { name: UNTAGGED, ...rest }] : [...rows];
}

export function toBreakdown(rows: readonly BreakdownRow[]): CostBreakdownView[] {
  return dearestFirst(mergeByName(rows)).map(({ name, count, monthly, hourly }) => ({
    name,
    resource_count: count,
    monthly_cost: monthly.toAmount(),
    hourly_cost: hourly.toAmount(),
  }));
}

function addTo(rows: Map<string, BreakdownRow>, row: BreakdownRow): void {
  const { name, count, monthly, hourly } = row;
  const sum = rows.get(name);
  if (sum === undefined) rows.set(name, { name, count, monthly, hourly });
  else {
    sum.count += count;
    sum.monthly = sum.monthly.plus(monthly);
    sum.hourly = sum.hourly.plus(hourly);
  }
}
