import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type CheckView,
  type SaveCheckBody,
  tenantSecurityDeleteCheckMutation,
  tenantSecuritySaveCheckMutation,
} from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';
import { SEVERITIES } from './severities';

const EXAMPLE = '{"a": "tags.Owner", "op": "empty"}';
const FIELDS = ['check_id', 'title', 'resource_types', 'fail', 'remediation'] as const;

interface DialogProps {
  tenantId: string;
  onClose: () => void;
}

/** Writes a check of the tenant; one with the same id is replaced. The service judges the condition. */
export function SaveCheckDialog({ tenantId, onClose }: DialogProps) {
  const queries = useQueryClient();
  const save = useMutation(tenantSecuritySaveCheckMutation());
  const [id, setId] = useState('CUSTOM-');
  const [title, setTitle] = useState('');
  const [severity, setSeverity] = useState<string>('medium');
  const [types, setTypes] = useState('');
  const [fail, setFail] = useState('');
  const [remediation, setRemediation] = useState('');
  const condition = parsed(fail);
  const problem = (field: (typeof FIELDS)[number]) => fieldFailure(save.error, field);
  return (
    <FormDialog
      title="New check"
      opened
      onClose={onClose}
      confirm="Save check"
      disabled={title.trim() === '' || types.trim() === '' || condition === undefined}
      isShown={(failure) => FIELDS.some((field) => fieldFailure(failure, field) !== undefined)}
      onConfirm={async () => {
        await save.mutateAsync({
          path: { tenantId, checkId: id.trim() },
          body: {
            title,
            severity: severity as SaveCheckBody['severity'],
            resource_types: types.split(/[\s,]+/).filter((type) => type !== ''),
            fail: condition ?? {},
            ...(remediation.trim() === '' ? {} : { remediation }),
          },
        });
        await queries.invalidateQueries();
      }}
    >
      <TextInput
        label="Id"
        description="CUSTOM- and capital letters, digits or hyphens; an id that is taken is replaced"
        value={id}
        error={problem('check_id')}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <TextInput
        label="Title"
        description="what must hold"
        value={title}
        error={problem('title')}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <NativeSelect
        label="Severity"
        data={SEVERITIES.filter((name) => name !== 'unknown')}
        value={severity}
        onChange={(event) => setSeverity(event.currentTarget.value)}
      />
      <TextInput
        label="Resource types"
        description="separated by commas"
        value={types}
        error={problem('resource_types')}
        onChange={(event) => setTypes(event.currentTarget.value)}
      />
      <Textarea
        label="Condition"
        description={`JSON that makes a finding, such as ${EXAMPLE}`}
        autosize
        minRows={3}
        styles={{ input: { fontFamily: 'monospace' } }}
        value={fail}
        error={
          fail !== '' && condition === undefined ? 'The condition must be a JSON object.' : problem('fail')
        }
        onChange={(event) => setFail(event.currentTarget.value)}
      />
      <TextInput
        label="Remediation"
        description="which argument to change, and to what"
        value={remediation}
        error={problem('remediation')}
        onChange={(event) => setRemediation(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function DeleteCheckDialog({ tenantId, check, onClose }: DialogProps & { check: CheckView }) {
  const queries = useQueryClient();
  const remove = useMutation(tenantSecurityDeleteCheckMutation());
  return (
    <FormDialog
      title="Delete check"
      opened
      onClose={onClose}
      confirm="Delete check"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ path: { tenantId, checkId: check.check_id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">The findings of {check.check_id} are resolved by the scan that follows.</Text>
    </FormDialog>
  );
}

/** Undefined for what is no JSON object. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
