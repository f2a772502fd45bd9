import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useUser } from '../../platform/access';
import { authLogout, forgetSession, usersChangePasswordMutation } from '../../platform/client';
import { FailureAlert, fieldFailure } from '../../platform/errors';

const SHOW = { 'aria-label': 'Show what is typed' };

/** Changes one's own password, which ends every session of the user: signing in again is the next step. */
export function OwnPassword() {
  const user = useUser();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation(usersChangePasswordMutation());
  const settingsPath = useLocation({ select: (location) => location.publicHref });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const save = async (): Promise<void> => {
    await change.mutateAsync({
      query: { user_id: user.id },
      body: { current_password: current, new_password: next },
    });
    // The session is over; this removes its cookie.
    await authLogout({ redirect: 'manual' });
    await navigate({ to: '/login', search: { rd: settingsPath, notice: 'password-changed' }, replace: true });
    forgetSession(queries);
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
        <Text size="sm" c="dimmed">
          This ends all your sessions, this one as well: you sign in again with the new password. API keys
          stay.
        </Text>
        {besideCurrent === undefined && besideNext === undefined && <FailureAlert failure={change.error} />}
        <Button type="submit" loading={change.isPending} disabled={current === '' || next === ''}>
          Change password
        </Button>
      </Stack>
    </form>
  );
}
