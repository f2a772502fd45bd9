import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAllowed } from '../../platform/access';
import { first, useView } from '../../platform/address';
import { type ApiKeyView, tokensListOptions, tokensRevokeMutation } from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Answer, Empty } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable, FilterField } from '../../platform/table';
import { NewKeyDialog } from './new-key-dialog';
import { NewServiceAccountDialog } from './new-service-account-dialog';

const FEW = 8;

/** Keys of programs: one's own, and those of service accounts one manages. */
export function KeysPage() {
  const keys = useQuery(tokensListOptions());
  const [view, setView] = useView<{ search?: string }>();
  const search = first(view.search) ?? '';
  const [isCreating, setCreating] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const revoking = useDialog<ApiKeyView>();
  const mayCreate = useAllowed({ capability: 'access-token-create', anywhere: true });
  const mayManage = useAllowed({ capability: 'users-manage', anywhere: true });
  const columns: Column<ApiKeyView>[] = [
    { header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { header: 'Owner', isWide: true, cell: (key) => <Owner apiKey={key} /> },
    { header: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (key) => (
        <Button size="compact-sm" variant="default" onClick={() => revoking.open(key)}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <Page
      title="API keys"
      actions={
        <>
          {mayManage && (
            <Button variant="default" onClick={() => setAdding(true)}>
              New service account
            </Button>
          )}
          <Button disabled={!mayCreate} onClick={() => setCreating(true)}>
            New API key
          </Button>
        </>
      }
    >
      <Text size="sm">
        Programs send a key as bearer token, Terraform as the password. A key is shown once.
      </Text>
      <Answer of={keys}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty>No API keys yet. New API key makes one for Terraform, a job or a script.</Empty>
          ) : (
            <>
              {(tokens.length > FEW || search !== '') && (
                <FilterField value={search} onFilter={(text) => setView({ search: text })} maw="24rem" />
              )}
              <DataTable
                name="API keys"
                rows={tokens.filter(({ name, owner_name }) =>
                  `${name} ${owner_name}`.toLowerCase().includes(search.toLowerCase()),
                )}
                rowKey={({ id }) => id}
                columns={columns}
              />
            </>
          )
        }
      </Answer>
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {isAdding && <NewServiceAccountDialog onClose={() => setAdding(false)} />}
      {revoking.subject && <RevokeDialog apiKey={revoking.subject} onClose={revoking.close} />}
    </Page>
  );
}

function Owner({ apiKey }: { apiKey: ApiKeyView }) {
  return (
    <>
      <bdi>{apiKey.owner_name}</bdi>
      {apiKey.owner_type === 'api' && ' (service account)'}
    </>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKeyView; onClose: () => void }) {
  const queries = useQueryClient();
  const revoke = useMutation(tokensRevokeMutation());
  return (
    <FormDialog
      title="Revoke API key"
      opened
      onClose={onClose}
      confirm="Revoke API key"
      danger
      onConfirm={async () => {
        await revoke.mutateAsync({ query: { token_id: apiKey.id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        What uses <bdi>{apiKey.name}</bdi> is refused from its next request on.
      </Text>
    </FormDialog>
  );
}
