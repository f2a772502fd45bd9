import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { SESSION_QUERY } from '../../platform/access';
import { first, useView } from '../../platform/address';
import {
  ApiFailure,
  invitationsAcceptMutation,
  invitationsPreviewOptions,
  type InvitationPreviewView,
  mayBeSignedIn,
} from '../../platform/client';
import { FailureAlert, Waiting } from '../../platform/errors';
import { Facts, Time } from '../../platform/formats';
import { OutsidePage } from '../../platform/page';

/** Where the link of an invitation leads. */
export function AcceptInvitationPage() {
  const [view] = useView<{ token?: string }>();
  const token = first(view.token) ?? '';
  const preview = useQuery({
    ...invitationsPreviewOptions({ query: { token } }),
    enabled: token !== '',
    gcTime: 0,
  });
  return (
    <OutsidePage title="Invitation">
      {token === '' ? (
        <Text role="alert">This link is incomplete. Open it as it was sent to you.</Text>
      ) : preview.data ? (
        <Invitation invitation={preview.data} token={token} />
      ) : preview.error ? (
        <>
          <FailureAlert
            failure={preview.error}
            retry={isFinal(preview.error) ? undefined : () => void preview.refetch()}
          />
          <Text size="sm">Ask the person who invited you for a new link.</Text>
        </>
      ) : (
        <Waiting reason={preview.failureReason} />
      )}
    </OutsidePage>
  );
}

function isFinal(failure: unknown): boolean {
  return failure instanceof ApiFailure && [400, 404, 409, 410].includes(failure.status);
}

function Invitation({ invitation, token }: { invitation: InvitationPreviewView; token: string }) {
  const address = useLocation({ select: (location) => location.publicHref });
  const session = useQuery({ ...SESSION_QUERY, retry: false, enabled: mayBeSignedIn() });
  const isAsking = mayBeSignedIn() && session.isPending;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Tenant', <bdi>{invitation.tenant_name}</bdi>],
          ['Invited by', <bdi>{invitation.inviter_name}</bdi>],
          ['Role', invitation.role],
          ['For', <bdi>{invitation.invited_email_masked}</bdi>],
          ['Valid until', <Time value={invitation.expires_at} />],
        ]}
      />
      {isAsking ? (
        <Waiting />
      ) : session.data ? (
        <Accept token={token} name={session.data.name} />
      ) : (
        <Button renderRoot={(props) => <Link {...props} to="/login" search={{ rd: address }} />}>
          Sign in to accept
        </Button>
      )}
    </Stack>
  );
}

function Accept({ token, name }: { token: string; name: string }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const accept = useMutation(invitationsAcceptMutation());
  const run = async (): Promise<void> => {
    const { tenant_id } = await accept.mutateAsync({ body: { token } });
    queries.clear();
    await navigate({ to: `/tenants/${tenant_id}`, replace: true });
  };
  return (
    <Stack gap="sm">
      <Text size="sm">
        You are signed in as <bdi>{name}</bdi>.
      </Text>
      <FailureAlert failure={accept.error} />
      <Button loading={accept.isPending} onClick={() => void run().catch(() => undefined)}>
        Accept invitation
      </Button>
    </Stack>
  );
}
