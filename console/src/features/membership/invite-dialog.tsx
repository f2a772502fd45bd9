import { Checkbox, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAllowed } from '../../platform/access';
import { invitationsCreateMutation, type SentInvitationView } from '../../platform/client';
import { FormDialog, SecretDialog, STAYS } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';
import { OneTimeSecret } from '../../platform/formats';

/** Invites somebody, and shows the link once. */
export function InviteDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const mayAdminister = useAllowed({ capability: 'admin', tenantId });
  const [email, setEmail] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const [sent, setSent] = useState<SentInvitationView>();
  const [failure, setFailure] = useState<unknown>();
  const queries = useQueryClient();
  const invite = useMutation(invitationsCreateMutation());
  if (sent) return <InvitationLink sent={sent} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite"
      opened
      onClose={onClose}
      confirm="Send invitation"
      disabled={email.trim() === ''}
      onFailure={setFailure}
      isShown={(error) => fieldFailure(error, 'email') !== undefined}
      onConfirm={async () => {
        setSent(await invite.mutateAsync({ path: { tenantId }, body: { email, tenant_admin: isAdmin } }));
        await queries.invalidateQueries();
        return STAYS;
      }}
    >
      <TextInput
        label="Email"
        type="email"
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
        value={email}
        error={fieldFailure(failure, 'email')}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Checkbox
        label="Administrator"
        description="May do everything in this tenant"
        disabled={!mayAdminister}
        checked={isAdmin}
        onChange={(event) => setAdmin(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

const DELIVERY: Readonly<Record<SentInvitationView['delivery'], string>> = {
  emailed: 'It was sent by mail. You can also hand over this link yourself.',
  inviter_has_no_email: 'No mail was sent: your account has no address. Hand over this link yourself.',
  no_provider_key: 'No mail was sent. Hand over this link yourself.',
  not_configured: 'This installation sends no mail. Hand over this link yourself.',
  transport_failed: 'The mail could not be sent. Hand over this link yourself.',
};

/** The link is a secret: it is shown here and nowhere else. */
export function InvitationLink({ sent, onClose }: { sent: SentInvitationView; onClose: () => void }) {
  return (
    <SecretDialog title="Invitation" onClose={onClose}>
      <Text size="sm">
        For <bdi>{sent.invitation.email}</bdi>.
      </Text>
      <OneTimeSecret label="Invitation link" value={sent.invite_url} hint={DELIVERY[sent.delivery]} />
    </SecretDialog>
  );
}
