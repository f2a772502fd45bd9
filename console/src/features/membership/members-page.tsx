import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useAllowed, useUser } from '../../platform/access';
import { usePathId } from '../../platform/address';
import {
  BY_CURSOR,
  membersListInfiniteOptions,
  membersRemoveMutation,
  membersSetRoleMutation,
  type MemberView,
} from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Time } from '../../platform/formats';
import { IconDots } from '../../platform/icons';
import { Page } from '../../platform/page';
import { PersonName } from '../../platform/people';
import { type Column, Listing } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { InviteDialog } from './invite-dialog';
import { PeopleTabs } from './people-tabs';

type Role = { tenant_admin?: boolean; can_manage_users?: boolean };
interface RoleChange {
  member: MemberView;
  title: string;
  words: string;
  role: Role;
}

/** Who is in a tenant, and what they administer. */
export function MembersPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const inviting = useDialog();
  const removing = useDialog<MemberView>();
  const changing = useDialog<RoleChange>();
  const query = useInfiniteQuery({ ...membersListInfiniteOptions({ path: { tenantId } }), ...BY_CURSOR });
  const columns: Column<MemberView>[] = [
    { header: 'Name', cell: (member) => <PersonName name={member.name} /> },
    { header: 'Email', isWide: true, cell: (member) => <bdi>{member.email ?? '–'}</bdi> },
    { header: 'Role', cell: roleOf },
    { header: 'Joined', isWide: true, cell: (member) => <Time value={member.joined_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (member) => <MemberMenu member={member} onRemove={removing.open} onChange={changing.open} />,
    },
  ];
  return (
    <Page
      title="Members"
      object={tenant?.name}
      actions={<Button onClick={() => inviting.open(true)}>Invite</Button>}
    >
      <PeopleTabs tenantId={tenantId} />
      <Listing
        name="Members"
        query={query}
        rowsOf={(page) => page.members}
        rowKey={(member) => member.user_id}
        total={query.data?.pages[0]?.total_count}
        columns={columns}
        empty="No members. Invite sends somebody a link."
      />
      {inviting.subject && <InviteDialog tenantId={tenantId} onClose={inviting.close} />}
      {removing.subject && (
        <RemoveDialog tenantId={tenantId} member={removing.subject} onClose={removing.close} />
      )}
      {changing.subject && (
        <RoleDialog tenantId={tenantId} change={changing.subject} onClose={changing.close} />
      )}
    </Page>
  );
}

function roleOf(member: MemberView): string {
  const roles = [
    { none: '', tenant: 'administrator', wider: 'administrator beyond this tenant' }[member.admin_scope],
    member.admin_scope === 'none' && member.users_manage_scope !== 'none' ? 'manages people' : '',
    member.type === 'api' ? 'service account' : '',
  ].filter((role) => role !== '');
  return roles.length === 0 ? 'member' : roles.join(', ');
}

interface MenuProps {
  member: MemberView;
  onRemove: (member: MemberView) => void;
  onChange: (change: RoleChange) => void;
}

function MemberMenu({ member, onRemove, onChange }: MenuProps) {
  const tenantId = usePathId('tenantId');
  const mayAdminister = useAllowed({ capability: 'admin', tenantId });
  const self = useUser().id === member.user_id;
  const items: { label: string; words: string; role: Role }[] = [
    ...(member.admin_scope === 'none' && member.type === 'user'
      ? [
          {
            label: 'Make administrator',
            words: 'may then do everything in this tenant',
            role: { tenant_admin: true },
          },
        ]
      : []),
    ...(member.admin_scope === 'tenant'
      ? [{ label: 'Make member', words: 'administers this tenant no longer', role: { tenant_admin: false } }]
      : []),
    ...(member.users_manage_scope === 'none' && member.admin_scope === 'none' && member.type === 'user'
      ? [
          {
            label: 'Let manage people',
            words: 'may then invite and remove people',
            role: { can_manage_users: true },
          },
        ]
      : []),
    ...(member.users_manage_scope === 'tenant' && member.admin_scope === 'none'
      ? [
          {
            label: 'Manages people no longer',
            words: 'may no longer invite and remove people',
            role: { can_manage_users: false },
          },
        ]
      : []),
  ];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.name}`}>
          <IconDots />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayAdminister &&
          items.map(({ label, words, role }) => (
            <Menu.Item key={label} onClick={() => onChange({ member, title: label, words, role })}>
              {label}
            </Menu.Item>
          ))}
        <Menu.Item onClick={() => onRemove(member)}>{self ? 'Leave' : 'Remove'}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function RoleDialog({
  tenantId,
  change,
  onClose,
}: {
  tenantId: string;
  change: RoleChange;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const setRole = useMutation(membersSetRoleMutation());
  return (
    <FormDialog
      title={change.title}
      opened
      onClose={onClose}
      confirm={change.title}
      onConfirm={async () => {
        await setRole.mutateAsync({
          path: { tenantId },
          query: { user_id: change.member.user_id },
          body: change.role,
        });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        <bdi>{change.member.name}</bdi> {change.words}.
      </Text>
    </FormDialog>
  );
}

function RemoveDialog({
  tenantId,
  member,
  onClose,
}: {
  tenantId: string;
  member: MemberView;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const remove = useMutation(membersRemoveMutation());
  return (
    <FormDialog
      title="Remove member"
      opened
      onClose={onClose}
      confirm="Remove"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ path: { tenantId }, query: { user_id: member.user_id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        <bdi>{member.name}</bdi> and their keys can no longer read or change anything in this tenant. The
        account stays.
      </Text>
    </FormDialog>
  );
}
