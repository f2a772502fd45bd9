import { Button, Checkbox, Stack, Text, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CAPABILITIES, type Capability, type Grants, isUnscoped } from '../../platform/access';
import {
  capabilitiesCurrentDefaultsOptions,
  capabilitiesReplaceDefaultsMutation,
} from '../../platform/client';
import { Answer, FailureAlert } from '../../platform/errors';

const LABELS: Readonly<Record<Capability, string>> = {
  admin: 'Administer everything',
  commit: 'Write and apply',
  preview: 'Plan',
  sudo: 'Act for others',
  'users-manage': 'Manage people',
  'access-token-create': 'Make API keys',
  'access-token-refresh': 'Refresh access tokens',
};

/** What everybody who signs in may do in the tenants they are a member of. */
export function DefaultCapabilities() {
  const defaults = useQuery(capabilitiesCurrentDefaultsOptions());
  return (
    <Answer of={defaults}>
      {({ capabilities }) => <DefaultsForm key={JSON.stringify(capabilities)} current={capabilities} />}
    </Answer>
  );
}

function DefaultsForm({ current }: { current: Grants }) {
  const [chosen, setChosen] = useState<string[]>(Object.keys(current));
  const queries = useQueryClient();
  const replace = useMutation(capabilitiesReplaceDefaultsMutation());
  const save = async (): Promise<void> => {
    // What is limited to tenants or states stays limited to them.
    const capabilities = Object.fromEntries(chosen.map((name) => [name, current[name as Capability] ?? {}]));
    await replace.mutateAsync({ body: { capabilities } });
    await queries.invalidateQueries();
    notifications.show({ message: 'The default capabilities were changed.' });
  };
  const isSame = chosen.toSorted().join() === Object.keys(current).toSorted().join();
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">Everybody who signs in may do this in the tenants they are a member of.</Text>
      <Checkbox.Group
        label={<VisuallyHidden>Default capabilities</VisuallyHidden>}
        value={chosen}
        onChange={setChosen}
      >
        {CAPABILITIES.map((name) => {
          const scope = current[name];
          const isLimited = scope !== undefined && !isUnscoped(scope);
          return (
            <Checkbox
              key={name}
              value={name}
              mt={6}
              label={LABELS[name]}
              description={isLimited ? 'Limited to some tenants or states' : undefined}
            />
          );
        })}
      </Checkbox.Group>
      <FailureAlert failure={replace.error} />
      <Button
        variant="default"
        disabled={isSame}
        loading={replace.isPending}
        onClick={() => void save().catch(() => undefined)}
      >
        Change default capabilities
      </Button>
    </Stack>
  );
}
