import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  type ResourceDeltaView,
  transactionCostsFindOptions,
  type TransactionCostsView,
} from '../../platform/client';
import { Answer, Empty, Waiting } from '../../platform/errors';
import { Facts } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { useTransactionOfPage } from '../transactions';
import { formatAmount } from './amounts';
import { Coverage, DeltaTable } from './breakdown-table';

const FOLLOW_MS = 2_000;

/** What the plan of a transaction would cost. */
export function TransactionCostsPage() {
  const { tx } = useTransactionOfPage();
  usePage('Cost', tx.id.slice(0, 8));
  const isFollowed = tx.state === 'previewing' || tx.state === 'previewed';
  const costs = useQuery({
    ...transactionCostsFindOptions({ path: { txId: tx.id } }),
    refetchInterval: ({ state: { data } }) => (data && 'status' in data && isFollowed ? FOLLOW_MS : false),
  });
  return (
    <Answer of={costs}>
      {(found) => {
        if (!('status' in found)) return <Delta costs={found} />;
        return isFollowed ? (
          <Waiting label="Computing" />
        ) : (
          <Empty>There is no plan of this transaction that costs could be computed for.</Empty>
        );
      }}
    </Answer>
  );
}

const COLUMNS: Column<ResourceDeltaView>[] = [
  { header: 'Instance', cell: (row) => <bdi>{row.address}</bdi> },
  { header: 'Change', cell: (row) => row.change_kind },
  { header: 'Now', isNumber: true, isWide: true, cell: (row) => formatAmount(row.current_monthly_cost) },
  { header: 'Planned', isNumber: true, isWide: true, cell: (row) => formatAmount(row.planned_monthly_cost) },
  { header: 'Difference', isNumber: true, cell: (row) => formatAmount(row.delta_monthly_cost) },
];

function Delta({ costs }: { costs: TransactionCostsView }) {
  const resources = costs.states.flatMap((state) => state.resources);
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Facts
          facts={[
            ['A month', formatAmount(costs.delta_monthly_cost, costs.currency)],
            ['Now', formatAmount(costs.current_monthly_cost, costs.currency)],
            ['Planned', formatAmount(costs.planned_monthly_cost, costs.currency)],
            ...(costs.other_currencies ?? []).map(
              (other) => [`In ${other.currency}`, formatAmount(other.monthly_cost)] as const,
            ),
          ]}
        />
        <Coverage percent={costs.planned_coverage_percent} />
      </Stack>
      <Stack gap="xs" component="section" aria-label="Resources">
        <Title order={2} size="h5">
          Resources
        </Title>
        {resources.length === 0 ? (
          <Empty>No instance costs anything else afterwards.</Empty>
        ) : (
          <DataTable
            name="Resources"
            columns={COLUMNS}
            rows={resources}
            rowKey={({ address, deposed }) => `${address} ${deposed ?? ''}`}
          />
        )}
      </Stack>
      <DeltaTable name="By provider" rows={costs.by_provider} />
      <DeltaTable name="By type" rows={costs.by_type} />
      {costs.by_tag.map(({ tag_key: key, entries }) => (
        <DeltaTable key={key} name={`By tag ${key}`} rows={entries} />
      ))}
    </Stack>
  );
}
