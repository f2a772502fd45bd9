import { Alert, Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAllowed } from '../../platform/access';
import { stateLockBreakLockMutation, type StateView } from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Time } from '../../platform/formats';
import { IconLock } from '../../platform/icons';

/** Who holds the lock of a state, on each of its pages. */
export function LockNotice({ state }: { state: StateView }) {
  const mayBreak = useAllowed({ capability: 'admin', tenantId: state.tenant_id, stateId: state.id });
  const dialog = useDialog();
  const { lock } = state;
  if (!lock) return null;
  return (
    <Alert color="yellow" icon={<IconLock />} variant="light">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          Locked by <bdi>{lock.who ?? 'somebody'}</bdi>
          {lock.operation === undefined ? '' : ` for ${operationName(lock.operation)}`},{' '}
          <Time value={lock.created_at} />
        </Text>
        {mayBreak && (
          <Button size="xs" variant="default" onClick={() => dialog.open(true)}>
            Force unlock
          </Button>
        )}
      </Group>
      <ForceUnlock state={state} opened={dialog.subject !== undefined} onClose={dialog.close} />
    </Alert>
  );
}

/** Terraform's name of an operation without its prefix: `OperationTypeApply` is `apply`. */
function operationName(operation: string): string {
  return operation.replace(/^OperationType(\w)/, (_, initial: string) => initial.toLowerCase());
}

function ForceUnlock({ state, opened, onClose }: { state: StateView; opened: boolean; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const queries = useQueryClient();
  const unlock = useMutation(stateLockBreakLockMutation());
  return (
    <FormDialog
      title="Force unlock"
      opened={opened}
      onClose={onClose}
      confirm="Force unlock"
      danger
      onConfirm={async () => {
        await unlock.mutateAsync({ path: { stateId: state.id }, body: reason === '' ? {} : { reason } });
        setReason('');
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        Whoever holds the lock may be writing at this moment. Ask them first; what they write after this is
        treated like any other write.
      </Text>
      <Textarea
        label="Reason"
        description="Goes into the audit log"
        value={reason}
        maxLength={1000}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
