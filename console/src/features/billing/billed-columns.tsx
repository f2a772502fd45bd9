import { useQuery } from '@tanstack/react-query';
import { stateSpendActualsOptions } from '../../platform/client';
import type { Column } from '../../platform/table';
import { daysOf, formatBilled, multiplied } from './billed-amount';

const HOURS_PER_DAY = 24;

/** What is used of an estimated instance. */
interface Estimated {
  address: string;
  deposed?: string;
  hourly_cost?: string;
  currency?: string;
}

/** Columns that set what was billed beside the estimate over the same days; none while nothing is loaded. */
export function useBilledColumns(stateId: string): Column<Estimated>[] {
  const { data: spend } = useQuery(stateSpendActualsOptions({ path: { stateId } }));
  if (!spend || spend.line_count === 0 || !spend.window_start || !spend.window_end) return [];
  const billed = new Map(spend.resources.map((row) => [row.address, row]));
  const days = daysOf(spend.window_start, spend.window_end);
  const period = `${spend.window_start} to ${spend.window_end}`;
  return [
    {
      header: `Estimated, ${period}`,
      isNumber: true,
      isWide: true,
      cell: ({ hourly_cost: hourly, currency }) =>
        hourly === undefined ? '–' : formatBilled(multiplied(hourly, days * HOURS_PER_DAY), currency),
    },
    {
      header: `Billed, ${period}`,
      isNumber: true,
      isWide: true,
      // A bill names the instance, not the object that a replacement left behind.
      cell: ({ address, deposed }) => {
        const row = deposed === undefined ? billed.get(address) : undefined;
        return row === undefined ? '–' : formatBilled(row.billed_cost, row.currency);
      },
    },
  ];
}
