import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAllowed } from '../../platform/access';
import { statesDeleteMutation } from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Facts, Id } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { useStateOfPage } from './state-context';

/** Names of a state, and its deletion. */
export function StateSettingsPage() {
  const state = useStateOfPage();
  usePage('Settings', state.name);
  const mayDelete = useAllowed({ capability: 'admin', tenantId: state.tenant_id, stateId: state.id });
  const dialog = useDialog();
  return (
    <Stack gap="lg" align="flex-start" maw="46rem">
      <Facts
        facts={[
          ['Name', state.name],
          ['Workspace', state.workspace],
          ['Group id', <Id value={state.group_id} short={false} />],
        ]}
      />
      <section>
        <Title order={2} size="h4">
          Delete this state
        </Title>
        <Text size="sm" my="xs">
          Its documents, instances, history and logs are gone for good. The infrastructure itself stays.
        </Text>
        <Button color="red" disabled={!mayDelete} onClick={() => dialog.open(true)}>
          Delete state
        </Button>
        {!mayDelete && (
          <Text size="sm" c="dimmed" mt="xs">
            Only an administrator can delete a state.
          </Text>
        )}
      </section>
      {dialog.subject && <DeleteDialog onClose={dialog.close} />}
    </Stack>
  );
}

function DeleteDialog({ onClose }: { onClose: () => void }) {
  const state = useStateOfPage();
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation(statesDeleteMutation());
  return (
    <FormDialog
      title="Delete state"
      opened
      onClose={onClose}
      confirm="Delete state"
      danger
      disabled={typed !== state.name}
      onConfirm={async () => {
        await remove.mutateAsync({ path: { stateId: state.id } });
        notifications.show({ message: `The state ${state.name} was deleted.` });
        await navigate({ to: `/tenants/${state.tenant_id}/states`, replace: true });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">This cannot be undone.</Text>
      <TextInput
        label={`Type ${state.name} to confirm`}
        data-autofocus
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
