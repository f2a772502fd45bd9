import { Badge, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useAllowed } from '../../platform/access';
import { first, PageLink, usePathId, useView } from '../../platform/address';
import { BY_PAGE_TOKEN, type StateView, tenantStatesListInfiniteOptions } from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { formatCount, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, FilterField, Listing, type SortControl } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { ImportDialog } from './import-dialog';
import { NewStateDialog } from './new-state-dialog';

type Sort = '-updated_at' | 'name';

/** Every state of a tenant. */
export function StatesPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const mayCreate = useAllowed({ capability: 'commit', tenantId });
  const [view, setView] = useView<{ search?: string; sort?: string }>();
  const search = first(view.search) ?? '';
  const sort: Sort | undefined = view.sort === 'name' || view.sort === '-updated_at' ? view.sort : undefined;
  const creating = useDialog();
  const importing = useDialog();
  const query = useInfiniteQuery({
    ...tenantStatesListInfiniteOptions({ path: { tenantId }, query: { search: search || undefined, sort } }),
    ...BY_PAGE_TOKEN,
  });
  const filter = useCallback((text: string) => setView({ search: text }), [setView]);
  const sorting = (by: Sort): SortControl => ({
    direction: sort === by ? (by === 'name' ? 'ascending' : 'descending') : 'none',
    toggle: () => setView({ sort: sort === by ? undefined : by }),
  });
  return (
    <Page
      title="States"
      object={tenant?.name}
      actions={
        mayCreate && (
          <>
            <Button variant="default" onClick={() => importing.open(true)}>
              Import
            </Button>
            <Button onClick={() => creating.open(true)}>New state</Button>
          </>
        )
      }
    >
      <FilterField
        value={search}
        onFilter={filter}
        placeholder="Part of a name, workspace or group id"
        maw="28rem"
      />
      <Listing
        name="States"
        query={query}
        rowsOf={(page) => page.results}
        rowKey={(state) => state.id}
        columns={columns(sorting)}
        empty={
          search === ''
            ? 'No states yet. A state holds what one Terraform or OpenTofu configuration has made; New state makes an empty one.'
            : 'No state has this in its name, workspace or group id.'
        }
      />
      <NewStateDialog tenantId={tenantId} opened={creating.subject !== undefined} onClose={creating.close} />
      <ImportDialog tenantId={tenantId} opened={importing.subject !== undefined} onClose={importing.close} />
    </Page>
  );
}

function columns(sorting: (by: Sort) => SortControl): Column<StateView>[] {
  return [
    { header: 'Name', sort: sorting('name'), cell: (state) => <NameCell state={state} /> },
    { header: 'Workspace', isWide: true, cell: (state) => state.workspace },
    { header: 'Instances', isNumber: true, cell: (state) => formatCount(state.instances) },
    { header: 'Version', isNumber: true, isWide: true, cell: (state) => formatCount(state.version) },
    { header: 'Updated', sort: sorting('-updated_at'), cell: (state) => <Time value={state.updated_at} /> },
  ];
}

function NameCell({ state }: { state: StateView }) {
  return (
    <Group gap="xs">
      <PageLink to={`/states/${state.id}`}>
        <bdi>{state.name}</bdi>
      </PageLink>
      {state.lock && (
        <Badge color="yellow" variant="light" c="var(--mantine-color-text)">
          Locked
        </Badge>
      )}
      {state.graph_error !== undefined && (
        <Text size="xs" c="dimmed" component="span">
          no graph
        </Text>
      )}
    </Group>
  );
}
