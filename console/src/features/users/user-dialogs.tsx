import { Checkbox, PasswordInput, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAllowed } from '../../platform/access';
import {
  usersChangePasswordMutation,
  usersCreateMutation,
  usersDeleteMutation,
  usersSetInstanceAdminMutation,
  type UserView,
} from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';

interface UserDialogProps {
  user: UserView;
  onClose: () => void;
}

const SHOW_PASSWORD = { 'aria-label': 'Show what is typed' };

export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const mayAdminister = useAllowed({ capability: 'admin' });
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const queries = useQueryClient();
  const create = useMutation(usersCreateMutation());
  const refused = (field: string): string | undefined => fieldFailure(failure, field);
  return (
    <FormDialog
      title="New user"
      opened
      onClose={onClose}
      confirm="Create"
      disabled={name.trim() === '' || password === ''}
      onFailure={setFailure}
      isShown={(error) =>
        ['name', 'email', 'password'].some((field) => fieldFailure(error, field) !== undefined)
      }
      onConfirm={async () => {
        const body = {
          name,
          email: email === '' ? undefined : email,
          password,
          is_instance_admin: isAdmin || undefined,
        };
        await create.mutateAsync({ body });
        await queries.invalidateQueries();
      }}
    >
      <TextInput
        label="Name"
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
        value={name}
        error={refused('name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        value={email}
        error={refused('email')}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        description="At least 8 characters; hand it over yourself"
        required
        withAsterisk={false}
        autoComplete="new-password"
        visibilityToggleButtonProps={SHOW_PASSWORD}
        value={password}
        error={refused('password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {mayAdminister && (
        <Checkbox
          label="Installation administrator"
          checked={isAdmin}
          onChange={(event) => setAdmin(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}

export function AdminDialog({ user, onClose }: UserDialogProps) {
  const isAdmin = user.admin_rights.is_instance_admin;
  const title = isAdmin ? 'Remove installation administrator' : 'Make installation administrator';
  const queries = useQueryClient();
  const set = useMutation(usersSetInstanceAdminMutation());
  return (
    <FormDialog
      title={title}
      opened
      onClose={onClose}
      confirm={title}
      danger={isAdmin}
      onConfirm={async () => {
        await set.mutateAsync({ query: { user_id: user.id }, body: { is_instance_admin: !isAdmin } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        <bdi>{user.name}</bdi>{' '}
        {isAdmin ? 'administers the installation no longer.' : 'may then do everything in every tenant.'}
      </Text>
    </FormDialog>
  );
}

export function PasswordDialog({ user, onClose }: UserDialogProps) {
  const [password, setPassword] = useState('');
  const change = useMutation(usersChangePasswordMutation());
  return (
    <FormDialog
      title="Set password"
      opened
      onClose={onClose}
      confirm="Set password"
      disabled={password === ''}
      onConfirm={async () => {
        await change.mutateAsync({ query: { user_id: user.id }, body: { new_password: password } });
        notifications.show({ message: `${user.name} has a new password.` });
      }}
    >
      <Text size="sm">
        A new password for <bdi>{user.name}</bdi>; hand it over yourself.
      </Text>
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        visibilityToggleButtonProps={SHOW_PASSWORD}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function DeleteDialog({ user, onClose }: UserDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation(usersDeleteMutation());
  return (
    <FormDialog
      title="Delete user"
      opened
      onClose={onClose}
      confirm="Delete user"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ query: { user_id: user.id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        <bdi>{user.name}</bdi> can no longer sign in, and every key of theirs stops working. What they did
        stays in the audit log.
      </Text>
    </FormDialog>
  );
}
