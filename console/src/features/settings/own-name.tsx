import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useUser } from '../../platform/access';
import { usersUpdateMutation } from '../../platform/client';
import { FailureAlert, fieldFailure } from '../../platform/errors';

/** Changes one's own display name; the service asks for the right to manage people. */
export function OwnName() {
  const user = useUser();
  const [name, setName] = useState(user.name);
  const queries = useQueryClient();
  const update = useMutation(usersUpdateMutation());
  const save = async (): Promise<void> => {
    await update.mutateAsync({ query: { user_id: user.id }, body: { name } });
    await queries.invalidateQueries();
  };
  const beside = fieldFailure(update.error, 'name');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save().catch(() => undefined);
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Name"
          autoComplete="name"
          value={name}
          error={beside}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          loading={update.isPending}
          disabled={name.trim() === '' || name === user.name}
        >
          Change name
        </Button>
      </Group>
      {beside === undefined && <FailureAlert failure={update.error} />}
    </form>
  );
}
