import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SESSION_QUERY } from '../../platform/access';
import { first, GoTo, ownPath, parseSearch, useView, type View } from '../../platform/address';
import {
  authLoginMutation,
  authOptionsOptions,
  BASE_PATH,
  type LoginOptionView,
  mayBeSignedIn,
  setupStatusOptions,
} from '../../platform/client';
import { Answer, FailureAlert } from '../../platform/errors';
import { OutsidePage } from '../../platform/page';
import { signInFailure } from './sign-in-failures';

/** Signing in, with a password or at a provider. */
export function LoginPage() {
  const [view] = useView<{ rd?: string; failure?: string; notice?: string }>();
  const destination = ownPath(first(view.rd));
  const failure = first(view.failure);
  const setup = useQuery(setupStatusOptions());
  const session = useQuery({ ...SESSION_QUERY, retry: false, enabled: mayBeSignedIn() });
  const options = useQuery(authOptionsOptions());
  if (setup.data?.needs_setup) return <GoTo to="/setup" />;
  if (mayBeSignedIn() && session.data) return <GoTo {...placeOf(destination)} />;
  return (
    <OutsidePage title="Sign in">
      {failure !== undefined && (
        <Alert color="red" role="alert" title="Not signed in">
          {signInFailure(failure)}
        </Alert>
      )}
      {first(view.notice) === 'password-changed' && (
        <Alert color="green" role="status" title="Your password was changed">
          Sign in with the new one.
        </Alert>
      )}
      <Answer of={options}>
        {({ options: providers }) =>
          providers.length > 0 ? (
            <Stack gap="sm">
              {providers.map((provider) => (
                <ProviderLink key={provider.name} provider={provider} destination={destination} />
              ))}
            </Stack>
          ) : (
            <PasswordForm destination={destination} />
          )
        }
      </Answer>
    </OutsidePage>
  );
}

/** A path and its query as the router takes them: without the path that the console stands below. */
function placeOf(destination: string): { to: string; search: View } {
  const { pathname, search } = new URL(destination, location.origin);
  const to = pathname.startsWith(BASE_PATH) ? `/${pathname.slice(BASE_PATH.length)}` : pathname;
  return { to, search: parseSearch(search) };
}

function ProviderLink({ provider, destination }: { provider: LoginOptionView; destination: string }) {
  const back = destination === '/' ? BASE_PATH : destination;
  // The address of the service's own route; a path that is none would be followed to anywhere.
  const address = `${BASE_PATH}${ownPath(provider.url).slice(1)}?rd=${encodeURIComponent(back)}`;
  return (
    <Button component="a" href={address} fullWidth>
      Sign in with {provider.display_name}
    </Button>
  );
}

function PasswordForm({ destination }: { destination: string }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const login = useMutation(authLoginMutation());
  const signIn = async (): Promise<void> => {
    await login.mutateAsync({ body: { email, password } });
    queries.clear();
    await navigate({ ...placeOf(destination), replace: true });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void signIn().catch(() => undefined);
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
        />
        <FailureAlert failure={login.error} />
        <Button type="submit" loading={login.isPending}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          Forgot it? An administrator of your tenant can set a new one.
        </Text>
      </Stack>
    </form>
  );
}
