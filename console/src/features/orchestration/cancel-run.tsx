import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { WorkManifestView } from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { useCancelRun, useStanding } from './overview-provider';
import { isUnderWay, type RunPlace } from './run-provider';

/** The button that ends a run, for those who may. */
export function CancelRun({ run, place }: { run: WorkManifestView; place: RunPlace }) {
  const isLive = isUnderWay(run.state);
  const { data } = useStanding(place, isLive);
  const asking = useDialog();
  const queries = useQueryClient();
  const { vcs, ...path } = place;
  const cancel = useCancelRun(vcs);
  if (!isLive || data?.may_cancel !== true) return null;
  return (
    <>
      <Button variant="default" onClick={() => asking.open(true)}>
        Cancel run
      </Button>
      {asking.subject && (
        <FormDialog
          title="Cancel run"
          opened
          onClose={asking.close}
          confirm="Cancel run"
          danger
          onConfirm={async () => {
            await cancel.mutateAsync({ path });
            await queries.invalidateQueries();
          }}
        >
          <Text size="sm">{whatFollows(run)}</Text>
        </FormDialog>
      )}
    </>
  );
}

function whatFollows({ run_type, state }: WorkManifestView): string {
  if (state === 'queued') return 'The run has not begun and will not begin.';
  return run_type === 'apply'
    ? 'Terraform is asked to stop. What it has changed stays changed, and the directories stay held until somebody has looked.'
    : 'Terraform is asked to stop. Nothing was changed.';
}
