import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tenantStatesCreateMutation } from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';

interface DialogProps {
  tenantId: string;
  opened: boolean;
  onClose: () => void;
}

/** Creates an empty state and goes on to how it is connected. */
export function NewStateDialog({ tenantId, opened, onClose }: DialogProps) {
  const [name, setName] = useState('');
  const [workspace, setWorkspace] = useState('default');
  const [failure, setFailure] = useState<unknown>();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const create = useMutation(tenantStatesCreateMutation());
  return (
    <FormDialog
      title="New state"
      opened={opened}
      onClose={onClose}
      confirm="Create"
      disabled={name.trim() === ''}
      onFailure={setFailure}
      isShown={(error) =>
        fieldFailure(error, 'name') !== undefined || fieldFailure(error, 'workspace') !== undefined
      }
      onConfirm={async () => {
        const state = await create.mutateAsync({
          path: { tenantId },
          body: { name, workspace: workspace || undefined },
        });
        await queries.invalidateQueries();
        await navigate({ to: `/states/${state.id}/connect` });
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
      <TextInput
        label="Workspace"
        autoComplete="off"
        value={workspace}
        error={fieldFailure(failure, 'workspace')}
        onChange={(event) => setWorkspace(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
