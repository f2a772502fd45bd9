import { Button, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePathId } from '../../platform/address';
import {
  type CreatedPoolView,
  type PoolView,
  SERVICE_ADDRESS,
  runnerPoolsCreateMutation,
  runnerPoolsListOptions,
  runnerPoolsRemoveMutation,
} from '../../platform/client';
import { FormDialog, SecretDialog, STAYS, useDialog } from '../../platform/dialogs';
import { Answer, Empty, fieldFailure } from '../../platform/errors';
import { CopyButton, OneTimeSecret, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { useTenants } from '../../platform/tenant';

/** Pools of runners, and what a runner of each needs. */
export function RunnerPoolsPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const pools = useQuery(runnerPoolsListOptions({ path: { tenantId } }));
  const adding = useDialog();
  const removing = useDialog<PoolView>();
  const columns: Column<PoolView>[] = [
    { header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { header: 'Created', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
    {
      header: 'Last seen',
      cell: ({ last_seen_at }) => (last_seen_at === undefined ? 'never' : <Time value={last_seen_at} />),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (pool) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Delete ${pool.name}`}
          onClick={() => removing.open(pool)}
        >
          Delete
        </Button>
      ),
    },
  ];
  return (
    <Page
      title="Runner pools"
      object={tenant?.name}
      actions={<Button onClick={() => adding.open(true)}>New pool</Button>}
    >
      <Text size="sm">
        A pool is a set of machines that run plans and applies in place of a CI system. Repositories name it
        with{' '}
        <code>
          run: {'{'} on: pool, pool: name {'}'}
        </code>
        .
      </Text>
      <Answer of={pools}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>No pools. Without one, runs go to the CI system of their code host.</Empty>
          ) : (
            <DataTable name="Runner pools" columns={columns} rows={results} rowKey={({ id }) => id} />
          )
        }
      </Answer>
      {adding.subject && <NewPoolDialog tenantId={tenantId} onClose={adding.close} />}
      {removing.subject && (
        <DeletePoolDialog tenantId={tenantId} pool={removing.subject} onClose={removing.close} />
      )}
    </Page>
  );
}

function NewPoolDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const [made, setMade] = useState<CreatedPoolView>();
  const queries = useQueryClient();
  const create = useMutation(runnerPoolsCreateMutation());
  if (made) return <NewPoolToken token={made.token} onClose={onClose} />;
  return (
    <FormDialog
      title="New pool"
      opened
      onClose={onClose}
      confirm="Create pool"
      disabled={name.trim() === ''}
      onFailure={setFailure}
      isShown={(error) => fieldFailure(error, 'name') !== undefined}
      onConfirm={async () => {
        setMade(await create.mutateAsync({ path: { tenantId }, body: { name } }));
        await queries.invalidateQueries();
        return STAYS;
      }}
    >
      <TextInput
        label="Name"
        data-autofocus
        required
        withAsterisk={false}
        value={name}
        error={fieldFailure(failure, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function NewPoolToken({ token, onClose }: { token: string; onClose: () => void }) {
  const command = `INFRASTATE_API_BASE=${SERVICE_ADDRESS} INFRASTATE_POOL_TOKEN=${token} infrastate runner`;
  return (
    <SecretDialog title="New pool" onClose={onClose}>
      <OneTimeSecret label="Token" value={token} hint="Copy it now: it is not shown again." />
      <TextInput label="Command that starts a runner" value={command} readOnly autoComplete="off" />
      <CopyButton text={command} label="Copy command" />
    </SecretDialog>
  );
}

function DeletePoolDialog({
  tenantId,
  pool,
  onClose,
}: {
  tenantId: string;
  pool: PoolView;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const remove = useMutation(runnerPoolsRemoveMutation());
  return (
    <FormDialog
      title="Delete pool"
      opened
      onClose={onClose}
      confirm="Delete pool"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ path: { tenantId, poolId: pool.id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        The token of <bdi>{pool.name}</bdi> ends at once; its runners get no more work.
      </Text>
    </FormDialog>
  );
}
