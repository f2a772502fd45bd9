import { Button, PasswordInput, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useUser } from '../../platform/access';
import { usersChangePasswordMutation } from '../../platform/client';
import { FailureAlert, fieldFailure } from '../../platform/errors';

const SHOW = { 'aria-label': 'Show what is typed' };

/** Changes one's own password. */
export function OwnPassword() {
  const user = useUser();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation(usersChangePasswordMutation());
  const save = async (): Promise<void> => {
    await change.mutateAsync({
      query: { user_id: user.id },
      body: { current_password: current, new_password: next },
    });
    setCurrent('');
    setNext('');
    notifications.show({ message: 'Your password was changed.' });
  };
  const [besideCurrent, besideNext] = [
    fieldFailure(change.error, 'current_password'),
    fieldFailure(change.error, 'new_password'),
  ];
  return (
    <form
      style={{ width: 'min(22rem, 100%)' }}
      onSubmit={(event) => {
        event.preventDefault();
        void save().catch(() => undefined);
      }}
    >
      <Stack gap="sm">
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          visibilityToggleButtonProps={SHOW}
          value={current}
          error={besideCurrent}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          description="8 to 128 characters"
          autoComplete="new-password"
          visibilityToggleButtonProps={SHOW}
          value={next}
          error={besideNext}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
        {besideCurrent === undefined && besideNext === undefined && <FailureAlert failure={change.error} />}
        <Button type="submit" loading={change.isPending} disabled={current === '' || next === ''}>
          Change password
        </Button>
      </Stack>
    </form>
  );
}
