import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import type { DriftHoldView, DriftView } from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { Time } from '../../platform/formats';
import { type InstallationPlace, useReleaseRun } from './overview-provider';
import { directoryOf } from './overview-words';

/** Who holds the directory and since when; a run that was aborted can be released. */
export function DriftHold({
  row,
  hold,
  base,
  onRelease,
}: {
  row: DriftView;
  hold: DriftHoldView;
  /** address of the installation */
  base: string;
  /** undefined for those who may not */
  onRelease: ((run: string) => void) | undefined;
}) {
  const { work_manifest_id: run, pull_number: pullNumber, reason } = hold;
  if (pullNumber !== undefined)
    return (
      <span>
        held by{' '}
        <PageLink
          to={`${base}/pull-requests/${encodeURIComponent(row.repository)}/${pullNumber}`}
          underline="always"
        >
          {`#${pullNumber}`}
        </PageLink>{' '}
        since <Time value={hold.created_at} />
      </span>
    );
  return (
    <Group gap="xs">
      <span>
        {reason === 'applying' ? 'being reconciled by' : 'held by the aborted'}{' '}
        {run === undefined ? (
          'drift run'
        ) : (
          <PageLink to={`${base}/runs/${run}`} underline="always">{`drift run ${run.slice(0, 8)}`}</PageLink>
        )}{' '}
        since <Time value={hold.created_at} />
      </span>
      {reason === 'failed' && run !== undefined && onRelease && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Release ${directoryOf(row)} of ${row.name}`}
          onClick={() => onRelease(run)}
        >
          Release
        </Button>
      )}
    </Group>
  );
}

/** Asks before everything is released that a run left held. */
export function ReleaseDialog({
  place: { vcs, installationId },
  run,
  base,
  onClose,
}: {
  place: InstallationPlace;
  run: string;
  base: string;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const release = useReleaseRun(vcs);
  return (
    <FormDialog
      title="Release directories"
      opened
      onClose={onClose}
      confirm="Release directories"
      danger
      onConfirm={async () => {
        await release.mutateAsync({ path: { installationId, workManifestId: run } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        <PageLink to={`${base}/runs/${run}`} underline="always">{`Drift run ${run.slice(0, 8)}`}</PageLink>{' '}
        was aborted after it had started, and its runner may still apply. Check what it did and that it has
        stopped. After the release, others can apply in every directory that the run held.
      </Text>
    </FormDialog>
  );
}
