import { Stack, Text, Title } from '@mantine/core';
import { Empty } from '../../platform/errors';
import { formatCount } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';
import type { CostBreakdownView, DeltaBreakdownView } from '../../platform/client';
import { formatAmount } from './amounts';

/** Costs by provider, type or tag under a heading of its own. */
export function BreakdownTable({ name, rows }: { name: string; rows: readonly CostBreakdownView[] }) {
  const columns: Column<CostBreakdownView>[] = [
    { header: 'Name', cell: (row) => <bdi>{row.name}</bdi> },
    { header: 'Instances', isNumber: true, cell: (row) => formatCount(row.resource_count) },
    { header: 'A month', isNumber: true, cell: (row) => formatAmount(row.monthly_cost) },
  ];
  return <Section name={name} rows={rows} columns={columns} />;
}

/** Differences by provider, type or tag. */
export function DeltaTable({ name, rows }: { name: string; rows: readonly DeltaBreakdownView[] }) {
  const columns: Column<DeltaBreakdownView>[] = [
    { header: 'Name', cell: (row) => <bdi>{row.name}</bdi> },
    { header: 'Instances', isNumber: true, cell: (row) => signedCount(row.delta_resource_count) },
    { header: 'A month', isNumber: true, cell: (row) => formatAmount(row.delta_monthly_cost) },
  ];
  return <Section name={name} rows={rows} columns={columns} />;
}

function Section<Row extends { name: string }>({
  name,
  rows,
  columns,
}: {
  name: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
}) {
  return (
    <Stack gap="xs" component="section" aria-label={name}>
      <Title order={2} size="h5">
        {name}
      </Title>
      {rows.length === 0 ? (
        <Empty>Nothing to show.</Empty>
      ) : (
        <DataTable name={name} columns={columns} rows={rows} rowKey={(row) => row.name} />
      )}
    </Stack>
  );
}

/** The share of billable instances with a price; another table lists the others. */
export function Coverage({ percent }: { percent: number }) {
  return (
    <Text size="sm" c={percent === 100 ? 'dimmed' : undefined}>
      {percent === 100
        ? 'All billable instances have a price.'
        : `${percent} % of the billable instances have a price; the rest is not in the total.`}
    </Text>
  );
}

function signedCount(count: number): string {
  return count > 0 ? `+${formatCount(count)}` : formatCount(count);
}
