import { NumberInput, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type NewGroupView, tenantInstallationsProvisionMutation } from '../../platform/client';
import { FormDialog, SecretDialog, STAYS } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';
import { CopyButton, OneTimeSecret } from '../../platform/formats';

/** Connects a GitLab group, then shows the webhook's address and secret, the secret once. */
export function ConnectGroupDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const [groupId, setGroupId] = useState<number | string>('');
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const [made, setMade] = useState<NewGroupView>();
  const queries = useQueryClient();
  const provision = useMutation(tenantInstallationsProvisionMutation());
  if (made)
    return (
      <SecretDialog title="Connect a GitLab group" onClose={onClose}>
        <TextInput label="Webhook URL" value={made.webhook_url} readOnly />
        <CopyButton text={made.webhook_url} label="Copy URL" />
        <OneTimeSecret
          label="Webhook secret"
          value={made.webhook_secret}
          hint="It is shown once. In GitLab, add a webhook with this URL and secret token to the group or its projects, for push, comment, merge request and job events."
        />
      </SecretDialog>
    );
  return (
    <FormDialog
      title="Connect a GitLab group"
      opened
      onClose={onClose}
      confirm="Connect"
      disabled={name.trim() === '' || typeof groupId !== 'number' || token.trim() === ''}
      onFailure={setFailure}
      isShown={(error) =>
        ['name', 'group_id', 'access_token'].some((field) => fieldFailure(error, field) !== undefined)
      }
      onConfirm={async () => {
        const body = { name, group_id: Number(groupId), access_token: token };
        setMade(await provision.mutateAsync({ path: { tenantId }, body }));
        await queries.invalidateQueries();
        return STAYS;
      }}
    >
      <NumberInput
        label="Group ID"
        data-autofocus
        description="The number that GitLab shows on the page of the group"
        required
        withAsterisk={false}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        value={groupId}
        error={fieldFailure(failure, 'group_id')}
        onChange={setGroupId}
      />
      <PasswordInput
        label="Access token"
        description="A group access token with the role Maintainer and the scope api"
        required
        withAsterisk={false}
        autoComplete="off"
        value={token}
        error={fieldFailure(failure, 'access_token')}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
      <TextInput
        label="Name"
        description="What this console calls the group: its name or path in GitLab, for example"
        required
        withAsterisk={false}
        value={name}
        error={fieldFailure(failure, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
