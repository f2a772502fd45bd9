import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tenantsCreateMutation } from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';

/** Creates a tenant; for administrators of the installation. */
export function NewTenant() {
  const dialog = useDialog();
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const create = useMutation(tenantsCreateMutation());
  return (
    <>
      <Button variant="default" onClick={() => dialog.open(true)}>
        New tenant
      </Button>
      <FormDialog
        title="New tenant"
        opened={dialog.subject !== undefined}
        onClose={dialog.close}
        confirm="Create"
        disabled={name.trim() === ''}
        onFailure={setFailure}
        isShown={(error) => fieldFailure(error, 'name') !== undefined}
        onConfirm={async () => {
          const { id } = await create.mutateAsync({ body: { name } });
          await queries.invalidateQueries();
          await navigate({ to: `/tenants/${id}` });
        }}
      >
        <TextInput
          label="Name"
          data-autofocus
          required
          withAsterisk={false}
          autoComplete="off"
          value={name}
          error={fieldFailure(failure, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </FormDialog>
    </>
  );
}
