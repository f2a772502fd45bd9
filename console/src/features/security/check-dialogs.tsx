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
const FIELDS = ['check_id', 'title', 'resource_types', 'when', 'fail', 'remediation'] as const;
const CATEGORIES: readonly NonNullable<SaveCheckBody['category']>[] = [
  'encryption',
  'encryption-transit',
  'hardening',
  'hygiene',
  'identity',
  'logging',
  'network-exposure',
  'public-access',
  'resilience',
  'secrets',
];

interface DialogProps {
  tenantId: string;
  onClose: () => void;
}

/** The fields of the form, as text. */
interface CheckDraft {
  id: string;
  title: string;
  severity: string;
  category: string;
  types: string;
  when: string;
  fail: string;
  remediation: string;
}

const EMPTY: CheckDraft = {
  id: 'CUSTOM-',
  title: '',
  severity: 'medium',
  category: 'hygiene',
  types: '',
  when: '',
  fail: '',
  remediation: '',
};

function draftOf(check: CheckView): CheckDraft {
  const { check_id: id, title, severity, category, remediation } = check;
  const types = check.resource_types.join(', ');
  return {
    id,
    title,
    severity,
    category,
    types,
    remediation,
    when: textOf(check.when),
    fail: textOf(check.fail),
  };
}

function bodyOf(draft: CheckDraft): SaveCheckBody {
  const when = parsed(draft.when);
  return {
    title: draft.title,
    severity: draft.severity as SaveCheckBody['severity'],
    category: draft.category as NonNullable<SaveCheckBody['category']>,
    resource_types: draft.types.split(/[\s,]+/).filter((type) => type !== ''),
    ...(when === undefined ? {} : { when }),
    fail: parsed(draft.fail) ?? {},
    ...(draft.remediation.trim() === '' ? {} : { remediation: draft.remediation }),
  };
}

function isComplete({ title, types, when, fail }: CheckDraft): boolean {
  const isOptionalCondition = when.trim() === '' || parsed(when) !== undefined;
  return title.trim() !== '' && types.trim() !== '' && isOptionalCondition && parsed(fail) !== undefined;
}

/** Writes a check of the tenant, a new one or one that exists. The service judges the conditions. */
export function SaveCheckDialog({ tenantId, check, onClose }: DialogProps & { check?: CheckView }) {
  const queries = useQueryClient();
  const save = useMutation(tenantSecuritySaveCheckMutation());
  const [draft, setDraft] = useState(check === undefined ? EMPTY : draftOf(check));
  const change = (name: keyof CheckDraft) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setDraft((known) => ({ ...known, [name]: value }));
  };
  const problem = (field: (typeof FIELDS)[number]) => fieldFailure(save.error, field);
  const conditionProblem = (field: 'when' | 'fail') =>
    draft[field].trim() !== '' && parsed(draft[field]) === undefined
      ? 'The condition must be a JSON object.'
      : problem(field);
  return (
    <FormDialog
      title={check === undefined ? 'New check' : 'Edit check'}
      opened
      onClose={onClose}
      confirm="Save check"
      disabled={!isComplete(draft)}
      isShown={(failure) => FIELDS.some((field) => fieldFailure(failure, field) !== undefined)}
      onConfirm={async () => {
        await save.mutateAsync({ path: { tenantId, checkId: draft.id.trim() }, body: bodyOf(draft) });
        await queries.invalidateQueries();
      }}
    >
      <TextInput
        label="Id"
        description="CUSTOM- and capital letters, digits or hyphens; an id that is taken is replaced"
        value={draft.id}
        readOnly={check !== undefined}
        error={problem('check_id')}
        onChange={change('id')}
      />
      <TextInput
        label="Title"
        description="what must hold"
        value={draft.title}
        error={problem('title')}
        onChange={change('title')}
      />
      <NativeSelect
        label="Severity"
        data={SEVERITIES.filter((name) => name !== 'unknown')}
        value={draft.severity}
        onChange={change('severity')}
      />
      <NativeSelect
        label="Category"
        data={[...CATEGORIES]}
        value={draft.category}
        onChange={change('category')}
      />
      <TextInput
        label="Resource types"
        description="separated by commas"
        value={draft.types}
        error={problem('resource_types')}
        onChange={change('types')}
      />
      <Textarea
        label="Applies where"
        description="JSON condition, optional; without it the check applies to every resource of the types"
        autosize
        minRows={2}
        styles={{ input: { fontFamily: 'monospace' } }}
        value={draft.when}
        error={conditionProblem('when')}
        onChange={change('when')}
      />
      <Textarea
        label="Condition"
        description={`JSON that makes a finding, such as ${EXAMPLE}`}
        autosize
        minRows={3}
        styles={{ input: { fontFamily: 'monospace' } }}
        value={draft.fail}
        error={conditionProblem('fail')}
        onChange={change('fail')}
      />
      <TextInput
        label="Remediation"
        description="which argument to change, and to what"
        value={draft.remediation}
        error={problem('remediation')}
        onChange={change('remediation')}
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

function textOf(condition: object | undefined): string {
  return condition === undefined ? '' : JSON.stringify(condition, null, 2);
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
