import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { KvRecordView } from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import type { Namespace } from './namespace';

interface DeleteRecordDialogProps {
  namespace: Namespace;
  record: KvRecordView;
  onClose: () => void;
}

/** Deletes the record that was shown: one that was written again meanwhile stays. */
export function DeleteRecordDialog({ namespace, record, onClose }: DeleteRecordDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({ mutationFn: async () => namespace.remove(record, record.version) });
  return (
    <FormDialog
      title="Delete record"
      opened
      onClose={onClose}
      confirm="Delete record"
      danger
      onConfirm={async () => {
        try {
          await remove.mutateAsync();
        } finally {
          await queries.invalidateQueries({ queryKey: ['kv', namespace.id] });
        }
      }}
    >
      <Text size="sm">
        Version {record.version} of <bdi style={{ overflowWrap: 'anywhere' }}>{record.key}</bdi> (index{' '}
        {record.idx}) is gone for good. A workflow that holds a lock with this record loses it.
      </Text>
    </FormDialog>
  );
}
