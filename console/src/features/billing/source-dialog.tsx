import { Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  billingSourcesCreateMutation,
  billingSourcesUpdateMutation,
  type BillingSourceView,
} from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';

const PROVIDERS = [
  { value: 'aws', label: 'AWS' },
  { value: 'azure', label: 'Azure' },
  { value: 'gcp', label: 'Google Cloud' },
] as const;
type Provider = (typeof PROVIDERS)[number]['value'];

interface SourceDialogProps {
  tenantId: string;
  /** absent for a new one */
  source?: BillingSourceView;
  onClose: () => void;
}

/** Adds a billing source, or changes one. */
export function SourceDialog({ tenantId, source, onClose }: SourceDialogProps) {
  const [provider, setProvider] = useState<Provider>(source?.provider ?? 'aws');
  const [uri, setUri] = useState(source?.source_uri ?? '');
  const [region, setRegion] = useState(source?.region ?? '');
  const [months, setMonths] = useState(source?.window_months ?? 2);
  const [isEnabled, setEnabled] = useState(source?.enabled ?? true);
  const [failure, setFailure] = useState<unknown>();
  const queries = useQueryClient();
  const create = useMutation(billingSourcesCreateMutation());
  const update = useMutation(billingSourcesUpdateMutation());
  const title = source ? 'Change billing source' : 'New billing source';
  return (
    <FormDialog
      title={title}
      opened
      onClose={onClose}
      confirm={source ? 'Save' : 'Create'}
      disabled={uri.trim() === ''}
      onFailure={setFailure}
      isShown={(error) => fieldFailure(error, 'source_uri') !== undefined}
      onConfirm={async () => {
        const body = { provider, source_uri: uri.trim(), window_months: months, enabled: isEnabled };
        const named = region.trim();
        if (source)
          await update.mutateAsync({
            path: { tenantId, billingSourceId: source.id },
            body: { ...body, region: named === '' ? null : named },
          });
        else
          await create.mutateAsync({
            path: { tenantId },
            body: { ...body, ...(named === '' ? {} : { region: named }) },
          });
        await queries.invalidateQueries();
      }}
    >
      <NativeSelect
        label="Provider"
        description="Of lines that name none"
        data-autofocus
        value={provider}
        onChange={({ currentTarget: { value } }) =>
          setProvider(PROVIDERS.find((known) => known.value === value)?.value ?? 'aws')
        }
        data={[...PROVIDERS]}
      />
      <TextInput
        label="Address"
        description="s3://bucket/exports/**, gs://…, abfss://container@account.dfs.core.windows.net/… or file:///…"
        required
        withAsterisk={false}
        autoComplete="off"
        value={uri}
        error={fieldFailure(failure, 'source_uri')}
        onChange={(event) => setUri(event.currentTarget.value)}
      />
      <TextInput
        label="Region"
        description="Of an S3 bucket"
        autoComplete="off"
        value={region}
        onChange={(event) => setRegion(event.currentTarget.value)}
      />
      <NumberInput
        label="Months"
        description="That every sync loads again, the current one included"
        min={1}
        max={120}
        allowDecimal={false}
        value={months}
        onChange={(value) => setMonths(Number(value) || 1)}
      />
      <Checkbox
        label="Sync every day"
        checked={isEnabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
