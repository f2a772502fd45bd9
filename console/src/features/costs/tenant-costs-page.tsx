import { Group, NativeSelect, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { first, PageLink, usePathId, useView } from '../../platform/address';
import { useFlags } from '../../platform/access';
import {
  type StateCostRowView,
  tenantCostsFindHistoryOptions,
  tenantCostsFindOptions,
  tenantCostsTagKeysOptions,
  type TenantCostsView,
} from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { Facts, formatCount, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { formatAmount } from './amounts';
import { BreakdownTable, Coverage } from './breakdown-table';
import { HistoryChart } from './history-chart';

type CostsView = Partial<Record<'tag_key' | 'group_by' | 'from' | 'to', string>>;

const GROUPS = ['provider', 'type', 'tag'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What all states of a tenant cost, and how that went. */
export function TenantCostsPage() {
  const tenantId = usePathId('tenantId');
  const [view, setView] = useView<CostsView>();
  const flags = useFlags();
  const tagKey = first(view.tag_key) || undefined;
  const costs = useQuery(
    tenantCostsFindOptions({ path: { tenantId }, query: tagKey === undefined ? {} : { tag_key: tagKey } }),
  );
  return (
    <Page title="Costs" actions={<PageLink to={`/tenants/${tenantId}/spend`}>Spend</PageLink>}>
      {!flags.costs && (
        <Empty>Cost estimation is switched off on this server. What is shown was stored before.</Empty>
      )}
      <Answer of={costs}>
        {(found) =>
          found.states.length === 0 ? (
            <Empty>
              {flags.costs
                ? 'No state is priced yet. Costs appear with the first apply.'
                : 'No costs are stored.'}
            </Empty>
          ) : (
            <Stack gap="lg">
              <Totals costs={found} />
              <TagChoice tenantId={tenantId} chosen={tagKey} choose={(key) => setView({ tag_key: key })} />
              <BreakdownTable name="By provider" rows={found.by_provider} />
              <BreakdownTable name="By type" rows={found.by_type} />
              {tagKey !== undefined && <BreakdownTable name="By tag" rows={found.by_tag} />}
              <States rows={found.states} />
              <History tenantId={tenantId} view={view} setView={setView} />
            </Stack>
          )
        }
      </Answer>
    </Page>
  );
}

function Totals({ costs }: { costs: TenantCostsView }) {
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
        ]}
      />
      <Coverage percent={costs.coverage_percent} />
    </Stack>
  );
}

function TagChoice(props: { tenantId: string; chosen: string | undefined; choose: (key: string) => void }) {
  const keys = useQuery(tenantCostsTagKeysOptions({ path: { tenantId: props.tenantId } }));
  return (
    <NativeSelect
      label="Tag"
      maw={320}
      value={props.chosen ?? ''}
      onChange={(event) => props.choose(event.currentTarget.value)}
      data={[{ value: '', label: 'No tag' }, ...(keys.data?.tag_keys ?? [])]}
    />
  );
}

const STATE_COLUMNS: Column<StateCostRowView>[] = [
  {
    header: 'State',
    cell: (row) => (
      <PageLink to={`/states/${row.state_id}/costs`}>
        <bdi>{row.state_name}</bdi>
      </PageLink>
    ),
  },
  { header: 'Workspace', isWide: true, cell: (row) => <bdi>{row.workspace}</bdi> },
  { header: 'Instances', isNumber: true, cell: (row) => formatCount(row.resource_count) },
  { header: 'A month', isNumber: true, cell: (row) => formatAmount(row.monthly_cost) },
  { header: 'Priced', isNumber: true, cell: (row) => `${row.coverage_percent} %` },
  { header: 'Calculated', isWide: true, cell: (row) => <Time value={row.calculated_at} /> },
];

function States({ rows }: { rows: readonly StateCostRowView[] }) {
  return (
    <Stack gap="xs" component="section" aria-label="States">
      <Title order={2} size="h5">
        States
      </Title>
      <DataTable name="States" columns={STATE_COLUMNS} rows={rows} rowKey={(row) => row.state_id} />
    </Stack>
  );
}

interface HistoryProps {
  tenantId: string;
  view: CostsView;
  setView: (change: CostsView) => void;
}

function History({ tenantId, view, setView }: HistoryProps) {
  const tagKey = first(view.tag_key) || undefined;
  const asked = GROUPS.find((group) => group === first(view.group_by));
  const groupBy = asked === 'tag' && tagKey === undefined ? undefined : asked;
  const [from, to] = [dayOf(view.from), dayOf(view.to)];
  const history = useQuery(
    tenantCostsFindHistoryOptions({
      path: { tenantId },
      query: {
        ...(from === undefined ? {} : { from: `${from}T00:00:00Z` }),
        ...(to === undefined ? {} : { to: `${to}T23:59:59Z` }),
        ...(groupBy === undefined ? {} : { group_by: groupBy }),
        ...(groupBy === 'tag' && tagKey !== undefined ? { tag_key: tagKey } : {}),
      },
    }),
  );
  return (
    <Stack gap="xs" component="section" aria-label="History">
      <Title order={2} size="h5">
        History
      </Title>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="date"
          label="From"
          value={from ?? ''}
          onChange={(event) => setView({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label="To"
          value={to ?? ''}
          onChange={(event) => setView({ to: event.currentTarget.value })}
        />
        <NativeSelect
          label="Group by"
          value={groupBy ?? ''}
          onChange={(event) => setView({ group_by: event.currentTarget.value })}
          data={[
            { value: '', label: 'Nothing' },
            { value: 'provider', label: 'Provider' },
            { value: 'type', label: 'Type' },
            ...(tagKey === undefined ? [] : [{ value: 'tag', label: `Tag ${tagKey}` }]),
          ]}
        />
      </Group>
      <Answer of={history}>{(found) => <HistoryChart history={found} />}</Answer>
    </Stack>
  );
}

function dayOf(value: unknown): string | undefined {
  const day = first(value as string);
  return day !== undefined && DAY.test(day) ? day : undefined;
}
