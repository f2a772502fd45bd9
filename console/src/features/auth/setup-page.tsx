import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  setupCreateAdminMutation,
  setupStatusOptions,
  tenantsListOfCallerOptions,
} from '../../platform/client';
import { Answer, FailureAlert, fieldFailure } from '../../platform/errors';
import { OutsidePage } from '../../platform/page';
import { GoTo } from '../../platform/address';
import { useUnsaved } from '../../platform/unsaved';

const FIELDS = ['name', 'email', 'password', 'organization', 'setup_token'] as const;
type Fields = Record<(typeof FIELDS)[number], string>;

/** The first visit to a new installation: makes its administrator. */
export function SetupPage() {
  const status = useQuery(setupStatusOptions());
  return (
    <OutsidePage title="Set up">
      <Answer of={status}>
        {(found) =>
          found.needs_setup ? <AdministratorForm asksForToken={asksForToken(found)} /> : <GoTo to="/login" />
        }
      </Answer>
    </OutsidePage>
  );
}

/** A service that is reached from elsewhere than its own machine may ask for a token from its log. */
function asksForToken(status: object): boolean {
  return 'needs_token' in status && status.needs_token === true;
}

function AdministratorForm({ asksForToken }: { asksForToken: boolean }) {
  const [fields, setFields] = useState<Fields>({
    name: '',
    email: '',
    password: '',
    organization: '',
    setup_token: '',
  });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const create = useMutation(setupCreateAdminMutation());
  useUnsaved(Object.values(fields).some((text) => text !== '') && !create.isSuccess);
  const set = (name: keyof Fields) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setFields((before) => ({ ...before, [name]: value }));
  };
  const submit = async (): Promise<void> => {
    const { setup_token, ...body } = fields;
    await create.mutateAsync({ body: asksForToken ? { ...body, setup_token } : body });
    queries.clear();
    const { results } = await queries.fetchQuery(tenantsListOfCallerOptions());
    const own = results.find(({ name }) => name === fields.organization.trim());
    await navigate({ to: own ? `/tenants/${own.id}` : '/', replace: true });
  };
  const refused = (name: keyof Fields): string | undefined => fieldFailure(create.error, name);
  const isBesideField = FIELDS.some((name) => refused(name) !== undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit().catch(() => undefined);
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          Nobody uses this installation yet. Create its administrator and the first tenant.
        </Text>
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          autoComplete="name"
          value={fields.name}
          onChange={set('name')}
          error={refused('name')}
        />
        <TextInput
          label="Email"
          type="email"
          required
          withAsterisk={false}
          autoComplete="username"
          value={fields.email}
          onChange={set('email')}
          error={refused('email')}
        />
        <PasswordInput
          label="Password"
          description="At least 8 characters"
          required
          withAsterisk={false}
          autoComplete="new-password"
          value={fields.password}
          onChange={set('password')}
          error={refused('password')}
          visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
        />
        <TextInput
          label="Organization"
          description="Names the first tenant: a tenant holds states and the people who work on them"
          required
          withAsterisk={false}
          autoComplete="organization"
          value={fields.organization}
          onChange={set('organization')}
          error={refused('organization')}
        />
        {asksForToken && (
          <TextInput
            label="Setup token"
            description="Stands in the log of the service"
            required
            withAsterisk={false}
            autoComplete="off"
            value={fields.setup_token}
            onChange={set('setup_token')}
            error={refused('setup_token')}
          />
        )}
        {create.error && !isBesideField ? <FailureAlert failure={create.error} /> : null}
        <Button type="submit" loading={create.isPending}>
          Create administrator
        </Button>
      </Stack>
    </form>
  );
}
