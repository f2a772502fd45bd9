import { Badge, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePathId } from '../../platform/address';
import {
  BY_CURSOR,
  invitationsListInfiniteOptions,
  invitationsReissueMutation,
  invitationsRevokeMutation,
  type InvitationView,
  type SentInvitationView,
} from '../../platform/client';
import { FormDialog, STAYS, useDialog } from '../../platform/dialogs';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { InvitationLink, InviteDialog } from './invite-dialog';
import { PeopleTabs } from './people-tabs';

/** Invitations of a tenant, open and past. */
export function InvitationsPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const inviting = useDialog();
  const revoking = useDialog<InvitationView>();
  const renewing = useDialog<InvitationView>();
  const query = useInfiniteQuery({ ...invitationsListInfiniteOptions({ path: { tenantId } }), ...BY_CURSOR });
  const columns: Column<InvitationView>[] = [
    { header: 'Email', cell: ({ email }) => <bdi>{email}</bdi> },
    {
      header: 'Status',
      cell: ({ status }) => (
        <Badge variant="outline" color="gray" c="var(--mantine-color-text)">
          {status}
        </Badge>
      ),
    },
    { header: 'Role', isWide: true, cell: ({ role }) => role },
    { header: 'By', isWide: true, cell: ({ invited_by_name }) => <bdi>{invited_by_name}</bdi> },
    { header: 'Expires', isWide: true, cell: ({ expires_at }) => <Time value={expires_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (invitation) =>
        invitation.status === 'pending' && (
          <Group gap="xs" justify="flex-end">
            <Button size="compact-sm" variant="default" onClick={() => renewing.open(invitation)}>
              New link
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => revoking.open(invitation)}>
              Revoke
            </Button>
          </Group>
        ),
    },
  ];
  return (
    <Page
      title="Invitations"
      object={tenant?.name}
      actions={<Button onClick={() => inviting.open(true)}>Invite</Button>}
    >
      <PeopleTabs tenantId={tenantId} />
      <Listing
        name="Invitations"
        query={query}
        rowsOf={(page) => page.invitations}
        rowKey={({ id }) => id}
        total={query.data?.pages[0]?.total_count}
        columns={columns}
        empty="No invitations. Invite sends somebody a link by which they join this tenant."
      />
      {inviting.subject && <InviteDialog tenantId={tenantId} onClose={inviting.close} />}
      {revoking.subject && (
        <RevokeDialog tenantId={tenantId} invitation={revoking.subject} onClose={revoking.close} />
      )}
      {renewing.subject && (
        <RenewDialog tenantId={tenantId} invitation={renewing.subject} onClose={renewing.close} />
      )}
    </Page>
  );
}

interface DialogProps {
  tenantId: string;
  invitation: InvitationView;
  onClose: () => void;
}

function RevokeDialog({ tenantId, invitation, onClose }: DialogProps) {
  const queries = useQueryClient();
  const revoke = useMutation(invitationsRevokeMutation());
  return (
    <FormDialog
      title="Revoke invitation"
      opened
      onClose={onClose}
      confirm="Revoke invitation"
      danger
      onConfirm={async () => {
        await revoke.mutateAsync({ path: { tenantId }, query: { id: invitation.id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        The link of <bdi>{invitation.email}</bdi> no longer works.
      </Text>
    </FormDialog>
  );
}

function RenewDialog({ tenantId, invitation, onClose }: DialogProps) {
  const [sent, setSent] = useState<SentInvitationView>();
  const queries = useQueryClient();
  const renew = useMutation(invitationsReissueMutation());
  if (sent) return <InvitationLink sent={sent} onClose={onClose} />;
  return (
    <FormDialog
      title="New link"
      opened
      onClose={onClose}
      confirm="New link"
      onConfirm={async () => {
        setSent(await renew.mutateAsync({ path: { tenantId }, query: { id: invitation.id } }));
        await queries.invalidateQueries();
        return STAYS;
      }}
    >
      <Text size="sm">
        <bdi>{invitation.email}</bdi> gets a new link; the old one stops working.
      </Text>
    </FormDialog>
  );
}
