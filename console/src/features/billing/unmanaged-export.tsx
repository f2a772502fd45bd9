import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { parseLossless, tenantSpendUnmanaged, type UnmanagedResourceView } from '../../platform/client';
import { FailureAlert } from '../../platform/errors';
import { saveFile, toCsv } from '../../platform/formats';

const ROWS_PER_REQUEST = 1_000;
const COLUMNS = [
  ...['provider', 'resource_id', 'billed_cost', 'currency', 'line_count', 'service_name', 'resource_type'],
  'region_id',
];

interface ExportProps {
  tenantId: string;
  query: { currency?: string };
}

/** Saves the whole list, every digit of the amounts included. */
export function UnmanagedExport({ tenantId, query }: ExportProps) {
  const save = useMutation({
    mutationFn: async () => {
      const rows: UnmanagedResourceView[] = [];
      for (let page: string | undefined, isFirst = true; isFirst || page !== undefined; isFirst = false) {
        const { data } = await tenantSpendUnmanaged({
          path: { tenantId },
          query: { ...query, limit: ROWS_PER_REQUEST, ...(page === undefined ? {} : { page }) },
          throwOnError: true,
        });
        rows.push(...data.results);
        page = data.next_page;
      }
      // Amounts are numbers to a spreadsheet, negative ones too.
      const cells = rows.map((row) => ({ ...row, billed_cost: parseLossless(row.billed_cost) }));
      saveFile('unmanaged.csv', toCsv(COLUMNS, cells), 'text/csv');
    },
  });
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Download CSV
      </Button>
      <FailureAlert failure={save.error} />
    </Group>
  );
}
