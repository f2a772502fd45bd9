import { Button, Checkbox, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePathId } from '../../platform/address';
import {
  capabilitiesCreateRuleMutation,
  capabilitiesDeleteRuleMutation,
  capabilitiesListRulesOptions,
  type GroupRuleView,
} from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Answer, Empty, fieldFailure } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { PeopleTabs } from './people-tabs';

const GRANTS = [
  ['preview', 'Plan'],
  ['commit', 'Write and apply'],
  ['users-manage', 'Manage people'],
  ['admin', 'Administer'],
] as const;

/** What members of a group at the sign-in provider may do here. */
export function GroupRulesPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const rules = useQuery(capabilitiesListRulesOptions({ path: { tenantId } }));
  const creating = useDialog();
  const removing = useDialog<GroupRuleView>();
  const columns: Column<GroupRuleView>[] = [
    { header: 'Group', cell: ({ condition }) => <bdi>{groupOf(condition)}</bdi> },
    { header: 'May', cell: ({ grant }) => capabilitiesIn(grant) },
    { header: 'Description', isWide: true, cell: ({ description }) => <bdi>{description}</bdi> },
    { header: 'Created', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (rule) => (
        <Button size="compact-sm" variant="default" onClick={() => removing.open(rule)}>
          Delete
        </Button>
      ),
    },
  ];
  return (
    <Page
      title="Group rules"
      object={tenant?.name}
      actions={<Button onClick={() => creating.open(true)}>New group rule</Button>}
    >
      <PeopleTabs tenantId={tenantId} />
      <Answer of={rules}>
        {({ rules: found }) =>
          found.length === 0 ? (
            <Empty>
              No group rules. A rule gives people of a group at the sign-in provider capabilities in this
              tenant.
            </Empty>
          ) : (
            <DataTable name="Group rules" rows={found} rowKey={({ id }) => id} columns={columns} />
          )
        }
      </Answer>
      {creating.subject && <NewRuleDialog tenantId={tenantId} onClose={creating.close} />}
      {removing.subject && (
        <DeleteDialog tenantId={tenantId} rule={removing.subject} onClose={removing.close} />
      )}
    </Page>
  );
}

function groupOf(condition: object): string {
  return 'group' in condition && typeof condition.group === 'string' ? condition.group : '';
}

function capabilitiesIn(grant: object): string {
  return Object.keys(grant)
    .map((name) => GRANTS.find(([capability]) => capability === name)?.[1].toLowerCase() ?? name)
    .join(', ');
}

function NewRuleDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const [group, setGroup] = useState('');
  const [description, setDescription] = useState('');
  const [capabilities, setCapabilities] = useState<string[]>([]);
  const [failure, setFailure] = useState<unknown>();
  const queries = useQueryClient();
  const create = useMutation(capabilitiesCreateRuleMutation());
  return (
    <FormDialog
      title="New group rule"
      opened
      onClose={onClose}
      confirm="Create"
      disabled={group.trim() === '' || capabilities.length === 0}
      onFailure={setFailure}
      isShown={(error) => fieldFailure(error, 'group') !== undefined}
      onConfirm={async () => {
        const grant = Object.fromEntries(capabilities.map((name) => [name, { tenants: [tenantId] }]));
        await create.mutateAsync({ path: { tenantId }, body: { condition: { group }, grant, description } });
        await queries.invalidateQueries();
      }}
    >
      <TextInput
        label="Group"
        description="Name of the group at the provider; * at the end matches anything"
        data-autofocus
        required
        withAsterisk={false}
        value={group}
        error={fieldFailure(failure, 'group')}
        onChange={(event) => setGroup(event.currentTarget.value)}
      />
      <Checkbox.Group label="May in this tenant" value={capabilities} onChange={setCapabilities}>
        {GRANTS.map(([capability, label]) => (
          <Checkbox key={capability} value={capability} label={label} mt={6} />
        ))}
      </Checkbox.Group>
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function DeleteDialog({
  tenantId,
  rule,
  onClose,
}: {
  tenantId: string;
  rule: GroupRuleView;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const remove = useMutation(capabilitiesDeleteRuleMutation());
  return (
    <FormDialog
      title="Delete group rule"
      opened
      onClose={onClose}
      confirm="Delete group rule"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ path: { tenantId, ruleId: rule.id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        People of <bdi>{groupOf(rule.condition)}</bdi> no longer get what it grants when they sign in.
      </Text>
    </FormDialog>
  );
}
