import { Badge, Group } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { first, PageLink, useView } from '../../platform/address';
import { ApiFailure, graphSummaryOptions } from '../../platform/client';
import { usePage } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { useStateOfPage } from '../states';
import { emptyWords } from './empty-words';
import { InstancePanel } from './instance-panel';
import { type InstanceRow, instanceRowsOptions } from './instance-rows';
import { InstanceSearch } from './instance-search';
import { searchOf } from './search-terms';

/** Every instance of a state; the opened one stands in the address. */
export function InstancesPage() {
  const state = useStateOfPage();
  usePage('Instances', state.name);
  const [view, setView] = useView<{ q?: string; instance?: string }>();
  const [q, opened] = [first(view.q) ?? '', first(view.instance)];
  const search = searchOf(q);
  const query = useInfiniteQuery(instanceRowsOptions(state.id, search));
  const summary = useQuery({
    ...graphSummaryOptions({ path: { stateId: state.id } }),
    enabled: search === undefined,
  });
  const filter = useCallback((text: string) => setView({ q: text }), [setView]);
  const isRefused = query.error instanceof ApiFailure && query.error.status === 400;
  return (
    <>
      <InstanceSearch
        stateId={state.id}
        value={q}
        onSearch={filter}
        failure={isRefused ? query.error?.message : undefined}
      />
      <Listing
        name="Instances"
        query={query}
        rowsOf={rowsOf}
        rowKey={(row) => `${row.address} ${row.deposed ?? ''}`}
        columns={COLUMNS}
        total={search === undefined ? summary.data?.instances : undefined}
        isSelected={(row) => row.address === opened}
        empty={
          search === undefined
            ? emptyWords(state, 'No instances yet. They appear with the first apply; Connect says how.')
            : 'No instance matches this filter.'
        }
      />
      {opened !== undefined && (
        <InstancePanel address={opened} onClose={() => setView({ instance: undefined })} />
      )}
    </>
  );
}

/** The same function each time: a list of 100,000 rows is put together only when it has changed. */
const rowsOf = ({ rows }: { rows: InstanceRow[] }): InstanceRow[] => rows;

const COLUMNS: Column<InstanceRow>[] = [
  { header: 'Address', cell: (row) => <AddressCell row={row} /> },
  { header: 'Type', isWide: true, cell: (row) => row.type },
  { header: 'Module', isWide: true, cell: (row) => row.module ?? 'root' },
];

function AddressCell({ row }: { row: InstanceRow }) {
  return (
    <Group gap="xs">
      <InstanceLink address={row.address} />
      {row.mode === 'data' && <Mark text="data" />}
      {row.status !== undefined && <Mark text={row.status} />}
      {row.deposed !== undefined && <Mark text={`deposed ${row.deposed}`} />}
    </Group>
  );
}

function Mark({ text }: { text: string }) {
  return (
    <Badge size="sm" variant="outline" color="gray" autoContrast c="var(--mantine-color-text)">
      {text}
    </Badge>
  );
}

/** Opens an instance beside the list, whatever the list shows. */
function InstanceLink({ address }: { address: string }) {
  const state = useStateOfPage();
  const [view] = useView<{ q?: string }>();
  return (
    <PageLink to={`/states/${state.id}/instances`} search={{ ...view, instance: address }}>
      <bdi>{address}</bdi>
    </PageLink>
  );
}
