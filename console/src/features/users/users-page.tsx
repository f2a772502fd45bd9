import { ActionIcon, Button, Menu } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useAllowed, useUser } from '../../platform/access';
import { first, useView } from '../../platform/address';
import { BY_CURSOR, usersListInfiniteOptions, type UserView } from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { Time } from '../../platform/formats';
import { IconDots } from '../../platform/icons';
import { Page } from '../../platform/page';
import { PersonName } from '../../platform/people';
import { type Column, FilterField, Listing } from '../../platform/table';
import { AdminDialog, DeleteDialog, NewUserDialog, PasswordDialog } from './user-dialogs';

/** Everybody who uses the installation. */
export function UsersPage() {
  const [view, setView] = useView<{ search?: string }>();
  const search = first(view.search) ?? '';
  const creating = useDialog();
  const query = useInfiniteQuery({
    ...usersListInfiniteOptions({ query: { search: search || undefined, limit: 100 } }),
    ...BY_CURSOR,
  });
  const filter = useCallback((text: string) => setView({ search: text }), [setView]);
  return (
    <Page title="Users" actions={<Button onClick={() => creating.open(true)}>New user</Button>}>
      <FilterField
        value={search}
        onFilter={filter}
        placeholder="Part of a name or mail address"
        maw="24rem"
      />
      <Listing
        name="Users"
        query={query}
        rowsOf={(page) => page.users}
        rowKey={({ id }) => id}
        total={query.data?.pages[0]?.total_count}
        columns={COLUMNS}
        empty={search === '' ? 'No users.' : 'Nobody has this in their name or mail address.'}
      />
      {creating.subject && <NewUserDialog onClose={creating.close} />}
    </Page>
  );
}

const COLUMNS: Column<UserView>[] = [
  { header: 'Name', cell: ({ name }) => <PersonName name={name} /> },
  { header: 'Email', isWide: true, cell: ({ email }) => <bdi>{email ?? '–'}</bdi> },
  { header: 'Role', cell: roleOf },
  { header: 'Signs in with', isWide: true, cell: signsInWith },
  { header: 'Created', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
  { header: 'Actions', isHeaderHidden: true, cell: (user) => <UserMenu user={user} /> },
];

function signsInWith({ auth_origin, type }: UserView): string {
  if (type === 'api') return 'API keys';
  return auth_origin === 'local' ? 'password' : (auth_origin ?? '–');
}

function roleOf({ admin_rights, type }: UserView): string {
  if (type === 'api') return 'service account';
  if (admin_rights.is_instance_admin) return 'installation administrator';
  return admin_rights.is_tenant_admin ? 'tenant administrator' : 'user';
}

function UserMenu({ user }: { user: UserView }) {
  const isSelf = useUser().id === user.id;
  const mayAdminister = useAllowed({ capability: 'admin' });
  const [admin, password, removal] = [useDialog(), useDialog(), useDialog()];
  const isAdmin = user.admin_rights.is_instance_admin;
  if (isSelf || user.type === 'system') return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.name}`}>
            <IconDots />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayAdminister && user.type === 'user' && (
            <Menu.Item onClick={() => admin.open(true)}>
              {isAdmin ? 'Remove installation administrator' : 'Make installation administrator'}
            </Menu.Item>
          )}
          {user.type === 'user' && <Menu.Item onClick={() => password.open(true)}>Set password</Menu.Item>}
          <Menu.Item onClick={() => removal.open(true)}>Delete</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {admin.subject && <AdminDialog user={user} onClose={admin.close} />}
      {password.subject && <PasswordDialog user={user} onClose={password.close} />}
      {removal.subject && <DeleteDialog user={user} onClose={removal.close} />}
    </>
  );
}
