import type { CostBreakdownView, DeltaBreakdownView, InstanceCostView } from '@infrastate/sdk';
import { table } from '../output/table.rules.js';

/** What is shown where there is no amount: never a zero. */
export const NO_AMOUNT = '-';

export function amount(text: string | undefined, currency: string | undefined): string {
  return text === undefined ? NO_AMOUNT : `${rounded(text)} ${currency ?? ''}`.trimEnd();
}

/** Two digits after the point, for people; `--json` has all of them. */
export function rounded(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length <= 2) return text;
  const sign = text.startsWith('-') ? '-' : text.startsWith('+') ? '+' : '';
  const digits = BigInt(`${whole.replace(/^[+-]/, '')}${fraction.slice(0, 2)}`);
  const up = (fraction[2] ?? '0') >= '5' ? 1n : 0n;
  const shown = (digits + up).toString().padStart(3, '0');
  return `${sign}${shown.slice(0, -2)}.${shown.slice(-2)}`;
}

export function breakdownTable(
  title: string,
  rows: readonly CostBreakdownView[],
  width: number | undefined,
): string {
  return table(
    [title, 'INSTANCES', 'A MONTH'],
    rows.map((row) => [row.name, String(row.resource_count), amount(row.monthly_cost, undefined)]),
    width,
  );
}

export function deltaTable(
  title: string,
  rows: readonly DeltaBreakdownView[],
  width: number | undefined,
): string {
  return table(
    [title, 'INSTANCES', 'A MONTH'],
    rows.map((row) => [
      row.name,
      signedCount(row.delta_resource_count),
      amount(row.delta_monthly_cost, undefined),
    ]),
    width,
  );
}

export function instanceTable(rows: readonly InstanceCostView[], width: number | undefined): string {
  return table(
    ['ADDRESS', 'REGION', 'A MONTH'],
    rows.map((row) => [
      row.deposed === undefined ? row.address : `${row.address} (deposed ${row.deposed})`,
      row.region ?? '',
      row.no_price ? 'free' : amount(row.monthly_cost, row.currency),
    ]),
    width,
  );
}

function signedCount(count: number): string {
  return count > 0 ? `+${count}` : String(count);
}
