import { Group, MultiSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { first, usePathId, useView } from '../../platform/address';
import { BY_PAGE_TOKEN, tenantTransactionsListInfiniteOptions } from '../../platform/client';
import { FailureAlert } from '../../platform/errors';
import { Page } from '../../platform/page';
import { Listing } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { AuthorFilter, StateFilter } from './transaction-filters';
import { isActive, TX_STATES, type TxState } from './statuses';
import { TRANSACTION_COLUMNS } from './transaction-columns';

const REFRESH_MS = 10_000;

interface TransactionsView extends Record<string, string | string[] | undefined> {
  state?: string | string[];
  state_id?: string;
  created_by?: string;
  from?: string;
  to?: string;
}

/** Who planned or wrote what in a tenant, newest first. */
export function TransactionsPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const [view, setView] = useView<TransactionsView>();
  const states = [view.state ?? []]
    .flat()
    .filter((name): name is TxState => TX_STATES.includes(name as TxState));
  const filters = {
    state: states.length > 0 ? states : undefined,
    state_id: first(view.state_id),
    created_by: first(view.created_by),
    from: first(view.from),
    to: first(view.to),
  };
  const query = useInfiniteQuery({
    ...tenantTransactionsListInfiniteOptions({ path: { tenantId }, query: filters }),
    ...BY_PAGE_TOKEN,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.results.some((tx) => isActive(tx.state))) ? REFRESH_MS : false,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title="Transactions" object={tenant?.name}>
      <Group align="flex-end" gap="sm">
        <MultiSelect
          label="State"
          placeholder={states.length === 0 ? 'All' : undefined}
          data={[...TX_STATES]}
          value={states}
          onChange={(chosen) => setView({ state: chosen })}
          clearable
          miw="14rem"
          maw="100%"
        />
        <StateFilter
          tenantId={tenantId}
          value={filters.state_id}
          onChange={(state_id) => setView({ state_id })}
        />
        <AuthorFilter value={filters.created_by} onChange={(created_by) => setView({ created_by })} />
        <DayField label="From" value={filters.from} onChange={(from) => setView({ from })} />
        <DayField label="To" value={filters.to} onChange={(to) => setView({ to })} />
      </Group>
      {query.error && query.data ? <FailureAlert failure={query.error} /> : null}
      <Listing
        name="Transactions"
        query={query}
        rowsOf={(page) => page.results}
        rowKey={(tx) => tx.id}
        columns={TRANSACTION_COLUMNS}
        empty={
          isFiltered
            ? 'No transaction matches these filters.'
            : 'No transactions yet. Each plan and each write of a state is one.'
        }
      />
    </Page>
  );
}

/** A day, or an exact time that came with the address. */
function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value?: string;
  onChange: (value: string) => void;
}) {
  const isDay = value === undefined || /^\d{4}-\d{2}-\d{2}$/.test(value);
  return (
    <TextInput
      type={isDay ? 'date' : 'text'}
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
