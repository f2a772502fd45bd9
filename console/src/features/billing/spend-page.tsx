import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useAllowed, useFlags } from '../../platform/access';
import { first, PageLink, usePathId, useView } from '../../platform/address';
import {
  type AttributionView,
  BY_PAGE_TOKEN,
  type ProviderSpendView,
  tenantSpendAttributionOptions,
  tenantSpendUnmanagedInfiniteOptions,
  type UnmanagedResourceView,
} from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { Facts, formatCount, plural, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable, Listing } from '../../platform/table';
import { formatBilled } from './billed-amount';
import { UnmanagedExport } from './unmanaged-export';

/** What was billed: how much of it the states explain, and what no state holds. */
export function SpendPage() {
  const tenantId = usePathId('tenantId');
  const [view, setView] = useView<{ currency?: string }>();
  const currency = first(view.currency) || undefined;
  const flags = useFlags();
  const isAdmin = useAllowed({ capability: 'admin', tenantId });
  const query = currency === undefined ? {} : { currency };
  const attribution = useQuery(tenantSpendAttributionOptions({ path: { tenantId }, query }));
  return (
    <Page
      title="Spend"
      actions={isAdmin && <PageLink to={`/tenants/${tenantId}/billing-sources`}>Billing sources</PageLink>}
    >
      {!flags.costs && (
        <Empty>Cost estimation is switched off on this server. What is shown was stored before.</Empty>
      )}
      <Answer of={attribution}>
        {(found) =>
          found.line_count === 0 && found.other_currencies === undefined ? (
            <Empty>
              No bill is loaded yet. An administrator adds a billing source, and the next sync loads it.
            </Empty>
          ) : (
            <Stack gap="lg">
              <CurrencyChoice found={found} choose={(code) => setView({ currency: code })} />
              <Parts found={found} />
              <Providers rows={found.by_provider} />
              <Unmanaged tenantId={tenantId} query={shownCurrency(found)} />
            </Stack>
          )
        }
      </Answer>
    </Page>
  );
}

/** Every part of the page shows the same currency, also when most unmanaged lines are in another one. */
function shownCurrency({ currency }: AttributionView): { currency?: string } {
  return currency === undefined ? {} : { currency };
}

function CurrencyChoice({ found, choose }: { found: AttributionView; choose: (code: string) => void }) {
  const { currency, other_currencies: others = [] } = found;
  if (others.length === 0 || currency === undefined) return null;
  return (
    <NativeSelect
      label="Currency"
      maw={240}
      value={currency}
      onChange={(event) => choose(event.currentTarget.value)}
      data={[currency, ...others].toSorted()}
    />
  );
}

function Parts({ found }: { found: AttributionView }) {
  const { currency } = found;
  const part = (cost: string, lines: number): string =>
    `${formatBilled(cost, currency)} (${plural(lines, 'line')})`;
  return (
    <Stack gap="xs">
      <Facts
        facts={[
          ['Total', part(found.total_cost, found.line_count)],
          ['Attributed to instances', part(found.attributed_cost, found.attributed_count)],
          ['Unmanaged', part(found.unmanaged_cost, found.unmanaged_count)],
          ['Without a resource', part(found.unallocated_cost, found.unallocated_count)],
          ['Explained by states', `${found.coverage_percent} %`],
          ['From', found.window_start],
          ['To', found.window_end],
          ['Matched', found.computed_at === undefined ? undefined : <Time value={found.computed_at} />],
        ]}
      />
      <Text size="sm" c="dimmed">
        Unmanaged resources are billed, and no state of the tenant holds them. Tax, support and most credits
        name no resource.
      </Text>
    </Stack>
  );
}

const PROVIDER_COLUMNS: Column<ProviderSpendView>[] = [
  { header: 'Provider', cell: (row) => <bdi>{row.provider}</bdi> },
  { header: 'Total', isNumber: true, cell: (row) => formatBilled(row.total_cost, row.currency) },
  { header: 'Attributed', isNumber: true, cell: (row) => formatBilled(row.attributed_cost) },
  { header: 'Unmanaged', isNumber: true, cell: (row) => formatBilled(row.unmanaged_cost) },
  {
    header: 'Without a resource',
    isNumber: true,
    isWide: true,
    cell: (row) => formatBilled(row.unallocated_cost),
  },
  { header: 'Explained', isNumber: true, isWide: true, cell: (row) => `${row.coverage_percent} %` },
];

function Providers({ rows }: { rows: readonly ProviderSpendView[] }) {
  return (
    <Stack gap="xs" component="section" aria-label="By provider">
      <Title order={2} size="h5">
        By provider
      </Title>
      <DataTable name="By provider" rows={rows} columns={PROVIDER_COLUMNS} rowKey={(row) => row.provider} />
    </Stack>
  );
}

const UNMANAGED_COLUMNS: Column<UnmanagedResourceView>[] = [
  { header: 'Resource', cell: (row) => <bdi>{row.resource_id}</bdi> },
  { header: 'Billed', isNumber: true, cell: (row) => formatBilled(row.billed_cost, row.currency) },
  { header: 'Provider', cell: (row) => <bdi>{row.provider}</bdi> },
  { header: 'Service', isWide: true, cell: (row) => <bdi>{row.service_name}</bdi> },
  { header: 'Region', isWide: true, cell: (row) => <bdi>{row.region_id}</bdi> },
  { header: 'Lines', isNumber: true, isWide: true, cell: (row) => formatCount(row.line_count) },
];

function Unmanaged({ tenantId, query }: { tenantId: string; query: { currency?: string } }) {
  const resources = useInfiniteQuery({
    ...tenantSpendUnmanagedInfiniteOptions({ path: { tenantId }, query }),
    ...BY_PAGE_TOKEN,
  });
  return (
    <Stack gap="xs" component="section" aria-label="Unmanaged">
      <Group justify="space-between">
        <Title order={2} size="h5">
          Unmanaged
        </Title>
        {resources.data?.pages.some(({ results }) => results.length > 0) && (
          <UnmanagedExport tenantId={tenantId} query={query} />
        )}
      </Group>
      <Listing
        name="Unmanaged"
        query={resources}
        rowsOf={({ results }) => results}
        columns={UNMANAGED_COLUMNS}
        rowKey={(row) => `${row.provider} ${row.resource_id}`}
        empty="Every billed resource is held by a state."
      />
    </Stack>
  );
}
