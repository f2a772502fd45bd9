import { Checkbox, PasswordInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type GroupView,
  tenantInstallationsChangeOrLinkMutation,
  type TenantInstallationView,
} from '../../platform/client';
import { FormDialog, SecretDialog, STAYS } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';
import { CopyButton, OneTimeSecret } from '../../platform/formats';

/** Gives a GitLab group another access token, another webhook secret, or both; a new secret is shown once. */
export function ReplaceTokenDialog({
  tenantId,
  installation: { installation_id: groupId, name },
  onClose,
}: {
  tenantId: string;
  installation: TenantInstallationView;
  onClose: () => void;
}) {
  const [token, setToken] = useState('');
  const [regenerates, setRegenerates] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [changed, setChanged] = useState<GroupView>();
  const queries = useQueryClient();
  const change = useMutation(tenantInstallationsChangeOrLinkMutation());
  if (changed?.webhook_secret !== undefined)
    return (
      <SecretDialog title="Replace token" onClose={onClose}>
        <TextInput label="Webhook URL" value={changed.webhook_url} readOnly />
        <CopyButton text={changed.webhook_url} label="Copy URL" />
        <OneTimeSecret
          label="Webhook secret"
          value={changed.webhook_secret}
          hint="It is shown once. In GitLab, enter it as the secret token of the webhook. Deliveries with the former secret are refused."
        />
      </SecretDialog>
    );
  return (
    <FormDialog
      title="Replace token"
      opened
      onClose={onClose}
      confirm="Replace token"
      disabled={token.trim() === '' && !regenerates}
      onFailure={setFailure}
      isShown={(error) => fieldFailure(error, 'access_token') !== undefined}
      onConfirm={async () => {
        const body = {
          ...(token.trim() === '' ? {} : { access_token: token }),
          ...(regenerates ? { regenerate_webhook_secret: true } : {}),
        };
        const answer = await change.mutateAsync({ path: { tenantId, id: groupId }, body });
        await queries.invalidateQueries();
        if (answer.webhook_secret === undefined) return undefined;
        setChanged(answer);
        return STAYS;
      }}
    >
      <Text size="sm">
        The service asks GitLab with this token on behalf of <bdi>{name}</bdi>. The token is checked before it
        replaces the former one.
      </Text>
      <PasswordInput
        label="Access token"
        data-autofocus
        description="A group access token with the role Maintainer and the scope api. Empty: keep the token"
        autoComplete="off"
        value={token}
        error={fieldFailure(failure, 'access_token')}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
      <Checkbox
        label="Create a new webhook secret"
        checked={regenerates}
        onChange={(event) => setRegenerates(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
