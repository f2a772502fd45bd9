import { Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useFlags } from '../../platform/access';
import {
  ApiFailure,
  BY_PAGE_TOKEN,
  type CostComponentView,
  type InstanceCostView,
  stateCostsCalculateMutation,
  stateCostsFindInfiniteOptions,
  type StateCostsView,
  stateCostsUnsupportedOptions,
  type UnsupportedInstanceView,
} from '../../platform/client';
import { Empty, FailureAlert } from '../../platform/errors';
import { Facts, formatCount, Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, DataTable, Listing } from '../../platform/table';
import { useBilledColumns } from '../billing';
import { useStateOfPage } from '../states';
import { formatAmount } from './amounts';
import { Coverage } from './breakdown-table';

const PAGE_SIZE = 200;

/** What a state costs, instance by instance, and what is not priced. */
export function StateCostsPage() {
  const state = useStateOfPage();
  usePage('Costs', state.name);
  const query = useInfiniteQuery({
    ...stateCostsFindInfiniteOptions({ path: { stateId: state.id }, query: { limit: PAGE_SIZE } }),
    ...BY_PAGE_TOKEN,
  });
  const isUnpriced = query.error instanceof ApiFailure && query.error.id === 'COSTS_NOT_FOUND';
  const costs = query.data?.pages[0];
  const billedColumns = useBilledColumns(state.id);
  const isOn = useFlags().costs;
  return (
    <Stack gap="lg">
      {isOn ? <Calculate stateId={state.id} /> : <Empty>{switchedOff(isUnpriced)}</Empty>}
      {isUnpriced ? (
        isOn && <Empty>This state was never priced. Costs appear with the next apply.</Empty>
      ) : (
        <>
          {costs && <Totals costs={costs} />}
          <Stack gap="xs" component="section" aria-label="Resources">
            <Title order={2} size="h5">
              Resources
            </Title>
            <Listing
              name="Resources"
              query={query}
              rowsOf={(page) => page.instance_costs}
              rowKey={({ address, deposed }) => `${address} ${deposed ?? ''}`}
              columns={[...COLUMNS, ...billedColumns]}
              total={costs?.resource_count}
              empty="The state is empty."
            />
          </Stack>
          {costs && <NotPriced stateId={state.id} />}
        </>
      )}
    </Stack>
  );
}

function Totals({ costs }: { costs: StateCostsView }) {
  return (
    <Stack gap="xs">
      <Facts
        facts={[
          ['A month', formatAmount(costs.monthly_cost, costs.currency)],
          ['An hour', formatAmount(costs.hourly_cost, costs.currency)],
          ...(costs.other_currencies ?? []).map(
            (other) => [`In ${other.currency}`, formatAmount(other.monthly_cost)] as const,
          ),
          ['Instances', formatCount(costs.resource_count)],
          ['Priced', formatCount(costs.priced_count)],
          ['Calculated', <Time value={costs.calculated_at} />],
          ['Price book', costs.price_book],
        ]}
      />
      <Coverage percent={costs.coverage_percent} />
      {costs.error_message !== undefined && <Text size="sm">{costs.error_message}</Text>}
    </Stack>
  );
}

const COLUMNS: Column<InstanceCostView>[] = [
  {
    header: 'Instance',
    cell: (row) => (
      <>
        <bdi>{row.address}</bdi>
        {row.deposed !== undefined && ` (deposed ${row.deposed})`}
        {row.components.length > 0 && <Components row={row} />}
      </>
    ),
  },
  { header: 'Region', isWide: true, cell: (row) => row.region ?? '–' },
  {
    header: 'A month',
    isNumber: true,
    cell: (row) => (row.no_price ? 'free' : formatAmount(row.monthly_cost, row.currency)),
  },
];

function Components({ row }: { row: InstanceCostView }) {
  return (
    <details>
      <summary>
        {row.components.length === 1 ? 'one component' : `${row.components.length} components`}
      </summary>
      <List size="sm">
        {row.components.map((component) => (
          <List.Item key={component.name}>
            {component.name}: {wordsOf(component)}
          </List.Item>
        ))}
      </List>
    </details>
  );
}

function wordsOf(component: CostComponentView): string {
  const { price, currency, unit, monthly_quantity: quantity } = component;
  const cost = component.monthly_cost === undefined ? '' : formatAmount(component.monthly_cost, currency);
  const priced = price === undefined ? '' : `${price} ${currency ?? ''} for one of ${unit}`;
  const count = quantity === undefined ? '' : `${quantity} ${unit} a month`;
  const region = component.price_region === undefined ? '' : `price of ${component.price_region}`;
  return [cost, count, priced, region, component.price_mark, component.reason]
    .filter((part) => part !== undefined && part !== '')
    .join('; ');
}

const NOT_PRICED: Column<UnsupportedInstanceView>[] = [
  { header: 'Instance', cell: (row) => <bdi>{row.address}</bdi> },
  { header: 'Why', cell: (row) => row.reason },
];

function NotPriced({ stateId }: { stateId: string }) {
  const list = useQuery(stateCostsUnsupportedOptions({ path: { stateId } }));
  const rows = list.data?.resources ?? [];
  return (
    <Stack gap="xs" component="section" aria-label="Not priced">
      <Title order={2} size="h5">
        Not priced
      </Title>
      {list.error ? <FailureAlert failure={list.error} /> : null}
      {list.data && rows.length === 0 && <Empty>Everything is priced.</Empty>}
      {rows.length > 0 && (
        <DataTable
          name="Not priced"
          columns={NOT_PRICED}
          rows={rows}
          rowKey={({ address, deposed }) => `${address} ${deposed ?? ''}`}
        />
      )}
    </Stack>
  );
}

function switchedOff(isUnpriced: boolean): string {
  const rest = isUnpriced ? 'This state has no stored costs.' : 'What is shown was stored before.';
  return `Cost estimation is switched off on this server. ${rest}`;
}

function Calculate({ stateId }: { stateId: string }) {
  const queries = useQueryClient();
  const calculate = useMutation({
    ...stateCostsCalculateMutation(),
    onSuccess: () => void queries.invalidateQueries(),
  });
  return (
    <Group>
      <Button
        variant="default"
        loading={calculate.isPending}
        onClick={() => calculate.mutate({ path: { stateId } })}
      >
        Calculate
      </Button>
      {calculate.isSuccess && (
        <Text size="sm" role="status">
          Calculation started; reload in a moment.
        </Text>
      )}
      {calculate.error ? <FailureAlert failure={calculate.error} /> : null}
    </Group>
  );
}
