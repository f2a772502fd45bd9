import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAllowed } from '../../platform/access';
import {
  tenantSecurityDeleteWaiverMutation,
  tenantSecurityListWaiversOptions,
  type WaiverView,
} from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Answer, Empty } from '../../platform/errors';
import { formatCount, Time } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';

/** The accepted risks of a tenant, expired ones included. */
export function WaiversSection({ tenantId }: { tenantId: string }) {
  const waivers = useQuery(tenantSecurityListWaiversOptions({ path: { tenantId } }));
  const mayDelete = useAllowed({ capability: 'admin', tenantId });
  const deleting = useDialog<WaiverView>();
  const columns: Column<WaiverView>[] = [
    { header: 'Check', cell: ({ check_id }) => check_id },
    {
      header: 'Address',
      cell: ({ address }) => <bdi style={{ overflowWrap: 'anywhere' }}>{address ?? 'any'}</bdi>,
    },
    { header: 'Reason', isWide: true, cell: ({ reason }) => <bdi>{reason}</bdi> },
    { header: 'By', isWide: true, cell: ({ created_by_name }) => <bdi>{created_by_name ?? '–'}</bdi> },
    {
      header: 'Ends',
      isWide: true,
      cell: ({ expires_at }) => (expires_at === undefined ? 'never' : <Time value={expires_at} />),
    },
    { header: 'Findings', isNumber: true, cell: ({ matches }) => formatCount(matches) },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (waiver) =>
        mayDelete && (
          <Button size="compact-sm" variant="default" onClick={() => deleting.open(waiver)}>
            Delete
          </Button>
        ),
    },
  ];
  return (
    <>
      <Answer of={waivers}>
        {({ waivers: rows }) =>
          rows.length === 0 ? (
            <Empty>No waivers. Open a finding and choose Waive to accept its risk.</Empty>
          ) : (
            <DataTable name="Waivers" rows={rows} rowKey={({ id }) => id} columns={columns} />
          )
        }
      </Answer>
      {deleting.subject && (
        <DeleteWaiverDialog tenantId={tenantId} waiver={deleting.subject} onClose={deleting.close} />
      )}
    </>
  );
}

interface DeleteWaiverDialogProps {
  tenantId: string;
  waiver: WaiverView;
  onClose: () => void;
}

function DeleteWaiverDialog({ tenantId, waiver, onClose }: DeleteWaiverDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation(tenantSecurityDeleteWaiverMutation());
  return (
    <FormDialog
      title="Delete waiver"
      opened
      onClose={onClose}
      confirm="Delete waiver"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ path: { tenantId, waiverId: waiver.id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        Findings that it suppresses ({formatCount(waiver.matches)}) are open again at once.
      </Text>
    </FormDialog>
  );
}
