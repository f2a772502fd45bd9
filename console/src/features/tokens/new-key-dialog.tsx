import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGrants } from '../../platform/access';
import { tokensCreateMutation } from '../../platform/client';
import { FormDialog, SecretDialog, STAYS } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';
import { OneTimeSecret } from '../../platform/formats';
import { CapabilityPicker } from './capability-picker';
import { type Choice, EVERYTHING, grantsOf, isComplete } from './capability-choice';

/** Makes a key, and shows it once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const held = useGrants();
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<Choice>(EVERYTHING);
  const [token, setToken] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const queries = useQueryClient();
  const create = useMutation(tokensCreateMutation());
  if (token !== undefined) return <ShownOnce token={token} onClose={onClose} />;
  return (
    <FormDialog
      title="New API key"
      opened
      onClose={onClose}
      confirm="Create"
      disabled={name.trim() === '' || !isComplete(choice)}
      onFailure={setFailure}
      isShown={(error) => fieldFailure(error, 'name') !== undefined}
      onConfirm={async () => {
        const capabilities = grantsOf(choice);
        const made = await create.mutateAsync({ body: { name, ...(capabilities ? { capabilities } : {}) } });
        setToken(made.token);
        await queries.invalidateQueries();
        return STAYS;
      }}
    >
      <TextInput
        label="Name"
        description="What uses it: laptop, nightly job"
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
        value={name}
        error={fieldFailure(failure, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <CapabilityPicker held={held} choice={choice} onChange={setChoice} />
    </FormDialog>
  );
}

/** The key itself: nowhere else, and never again. */
export function ShownOnce({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <SecretDialog title="API key created" onClose={onClose}>
      <OneTimeSecret label="API key" value={token} hint="Copy it now: it is not shown again." />
    </SecretDialog>
  );
}
