import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type GapSettingsBody, gapsReplaceConfigMutation } from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';
import type { Cloud } from './clouds';

interface Field {
  name: string;
  label: string;
  kind?: 'secret' | 'long';
  placeholder?: string;
}

const FIELDS: Readonly<Record<Cloud, readonly Field[]>> = {
  aws: [
    { name: 'role_arn', label: 'Role', placeholder: 'arn:aws:iam::111122223333:role/inventory' },
    { name: 'region', label: 'Region (optional)', placeholder: 'eu-west-1' },
  ],
  gcp: [
    { name: 'scope', label: 'Scope', placeholder: 'projects/my-project' },
    { name: 'service_account_key', label: 'Key of the service account (JSON)', kind: 'long' },
  ],
  azure: [
    { name: 'azure_tenant_id', label: 'Directory' },
    { name: 'client_id', label: 'Application' },
    { name: 'client_secret', label: 'Client secret', kind: 'secret' },
    { name: 'subscriptions', label: 'Subscriptions, one a line', kind: 'long' },
  ],
};

/** Sets which cloud the tenant sees. What was found before is forgotten. */
export function GapSettingsDialog(props: { tenantId: string; provider: Cloud; onClose: () => void }) {
  const { tenantId, provider, onClose } = props;
  const [values, setValues] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<unknown>();
  const queries = useQueryClient();
  const save = useMutation(gapsReplaceConfigMutation());
  const fields = FIELDS[provider];
  return (
    <FormDialog
      title="Configure"
      opened
      onClose={onClose}
      confirm="Save"
      onFailure={setFailure}
      isShown={(error) => fields.some(({ name }) => fieldFailure(error, name) !== undefined)}
      onConfirm={async () => {
        await save.mutateAsync({ path: { tenantId }, body: bodyOf(provider, values) });
        await queries.invalidateQueries();
      }}
    >
      {fields.map(({ name, label, kind, placeholder }) => {
        const shared = {
          ...{
            label,
            placeholder,
            autoComplete: 'off',
            error: fieldFailure(failure, name),
            value: values[name] ?? '',
          },
          onChange: (event: { currentTarget: { value: string } }) => {
            const { value } = event.currentTarget;
            setValues((before) => ({ ...before, [name]: value }));
          },
        };
        if (kind === 'secret') return <PasswordInput key={name} {...shared} />;
        return kind === 'long' ? (
          <Textarea key={name} rows={4} {...shared} />
        ) : (
          <TextInput key={name} {...shared} />
        );
      })}
    </FormDialog>
  );
}

function bodyOf(provider: Cloud, values: Readonly<Record<string, string>>): GapSettingsBody {
  const entries = Object.entries(values).flatMap(([name, text]): [string, unknown][] => {
    const value = text.trim();
    if (value === '') return [];
    if (name === 'subscriptions') return [[name, value.split(/[\s,]+/)]];
    return [[name, name === 'service_account_key' ? keyOf(value) : value]];
  });
  return { provider, ...Object.fromEntries(entries) };
}

/** Text that is no JSON object goes as an empty one, and the service says what a key is. */
function keyOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
