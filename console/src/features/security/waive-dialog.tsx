import { Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type FindingView, tenantSecurityCreateWaiverMutation } from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { fieldFailure } from '../../platform/errors';

interface WaiveDialogProps {
  tenantId: string;
  finding: FindingView;
  onClose: () => void;
  onWaived: () => void;
}

/** Accepts the risk of one finding, or of an address pattern, in its state. */
export function WaiveDialog({ tenantId, finding, onClose, onWaived }: WaiveDialogProps) {
  const queries = useQueryClient();
  const create = useMutation(tenantSecurityCreateWaiverMutation());
  const [address, setAddress] = useState(finding.resource_fq_address);
  const [reason, setReason] = useState('');
  const [expires, setExpires] = useState('');
  return (
    <FormDialog
      title="Waive finding"
      opened
      onClose={onClose}
      confirm="Waive finding"
      disabled={reason.trim() === '' || address.trim() === ''}
      onConfirm={async () => {
        await create.mutateAsync({
          path: { tenantId },
          body: {
            check_id: finding.check_id,
            state_id: finding.state_id,
            address,
            reason,
            ...(expires === '' ? {} : { expires_at: new Date(`${expires}T23:59:59Z`).toISOString() }),
          },
        });
        await queries.invalidateQueries();
        onWaived();
      }}
    >
      <Text size="sm">
        Findings of {finding.check_id} at this address count nowhere until the waiver ends or is deleted.
      </Text>
      <TextInput
        label="Address"
        description="* stands for any characters"
        value={address}
        error={fieldFailure(create.error, 'address')}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <Textarea
        label="Reason"
        data-autofocus
        maxLength={2_000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <TextInput
        label="Last day"
        type="date"
        description="Without it the waiver holds until it is deleted."
        value={expires}
        error={fieldFailure(create.error, 'expires_at')}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
