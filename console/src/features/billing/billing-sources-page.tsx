import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFlags } from '../../platform/access';
import { PageLink, usePathId } from '../../platform/address';
import {
  billingSourcesListOptions,
  billingSourcesRemoveMutation,
  type BillingSourceView,
  billingSyncsSyncMutation,
} from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Answer, Empty, FailureAlert } from '../../platform/errors';
import { formatCount, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { SourceDialog } from './source-dialog';

const WHILE_RUNNING_MS = 3_000;

/** Where the bills of a tenant are read from. */
export function BillingSourcesPage() {
  const tenantId = usePathId('tenantId');
  const flags = useFlags();
  const queries = useQueryClient();
  const sources = useQuery({
    ...billingSourcesListOptions({ path: { tenantId } }),
    refetchInterval: ({ state }) => (state.data?.results.some(isUnderWay) ? WHILE_RUNNING_MS : false),
  });
  const sync = useMutation({
    ...billingSyncsSyncMutation(),
    onSettled: () => queries.invalidateQueries(),
  });
  const [isCreating, setCreating] = useState(false);
  const changing = useDialog<BillingSourceView>();
  const removing = useDialog<BillingSourceView>();
  const columns: Column<BillingSourceView>[] = [
    { header: 'Address', cell: (row) => <bdi>{row.source_uri}</bdi> },
    { header: 'Provider', isWide: true, cell: (row) => row.provider },
    { header: 'Status', cell: (row) => <Status source={row} /> },
    { header: 'Lines', isNumber: true, isWide: true, cell: (row) => formatLines(row.last_row_count) },
    {
      header: 'Synced',
      isWide: true,
      cell: (row) => (row.last_synced_at === undefined ? 'never' : <Time value={row.last_synced_at} />),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (row) => (
        <Group gap="xs" justify="flex-end">
          <Button
            size="compact-sm"
            variant="default"
            disabled={!flags.costs || isUnderWay(row)}
            onClick={() => sync.mutate({ path: { tenantId, billingSourceId: row.id }, body: {} })}
          >
            Sync
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => changing.open(row)}>
            Change
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => removing.open(row)}>
            Delete
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <Page
      title="Billing sources"
      actions={
        <>
          <PageLink to={`/tenants/${tenantId}/spend`}>Spend</PageLink>
          <Button onClick={() => setCreating(true)}>New billing source</Button>
        </>
      }
    >
      {!flags.costs && (
        <Empty>
          Cost estimation is switched off on this server: sources are kept, and nothing is loaded.
        </Empty>
      )}
      {sync.error && <FailureAlert failure={sync.error} />}
      <Answer of={sources}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>No billing sources yet. New billing source names an export of a cloud.</Empty>
          ) : (
            <DataTable name="Billing sources" rows={results} columns={columns} rowKey={({ id }) => id} />
          )
        }
      </Answer>
      {isCreating && <SourceDialog tenantId={tenantId} onClose={() => setCreating(false)} />}
      {changing.subject && (
        <SourceDialog tenantId={tenantId} source={changing.subject} onClose={changing.close} />
      )}
      {removing.subject && (
        <DeleteDialog tenantId={tenantId} source={removing.subject} onClose={removing.close} />
      )}
    </Page>
  );
}

function isUnderWay({ last_status: status }: BillingSourceView): boolean {
  return status === 'queued' || status === 'running';
}

function formatLines(count: number | undefined): string {
  return count === undefined ? '–' : formatCount(count);
}

const STATUS = { queued: 'Waiting', running: 'Syncing', ok: 'Loaded', error: 'Failed' } as const;

function Status({ source }: { source: BillingSourceView }) {
  const { last_status: status, last_error: error, enabled } = source;
  return (
    <>
      <Text size="sm" component="span">
        {status === undefined ? 'Not synced' : STATUS[status]}
        {!enabled && ' (by hand only)'}
      </Text>
      {status === 'error' && error !== undefined && (
        <Text size="sm" c="red">
          {error}
        </Text>
      )}
    </>
  );
}

interface DeleteProps {
  tenantId: string;
  source: BillingSourceView;
  onClose: () => void;
}

function DeleteDialog({ tenantId, source, onClose }: DeleteProps) {
  const queries = useQueryClient();
  const remove = useMutation(billingSourcesRemoveMutation());
  return (
    <FormDialog
      title="Delete billing source"
      opened
      onClose={onClose}
      confirm="Delete billing source"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ path: { tenantId, billingSourceId: source.id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        What was loaded from <bdi>{source.source_uri}</bdi> is deleted with it. The files stay.
      </Text>
    </FormDialog>
  );
}
