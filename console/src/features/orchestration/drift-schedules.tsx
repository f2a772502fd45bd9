import { Button, List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PageLink } from '../../platform/address';
import type { DriftScheduleView } from '../../platform/client';
import { FormDialog, SecretDialog, STAYS, useDialog } from '../../platform/dialogs';
import { Answer, Empty } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';
import { type InstallationPlace, useDriftSchedules, useStartDrift } from './overview-provider';

/** Schedules of the default branches, and a button that starts one now. */
export function DriftSchedules({ place, runs }: { place: InstallationPlace; runs: string }) {
  const starting = useDialog<DriftScheduleView>();
  const columnsFor = (mayStart: boolean): Column<DriftScheduleView>[] => [
    { header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    {
      header: 'Repository',
      cell: ({ owner, repository_name }) => <bdi>{`${owner}/${repository_name}`}</bdi>,
    },
    { header: 'How often', isWide: true, cell: howOften },
    { header: 'Directories', isWide: true, cell: ({ tag_query }) => <bdi>{tag_query || 'all'}</bdi> },
    {
      header: 'What differs',
      isWide: true,
      cell: ({ reconcile }) => (reconcile ? 'is applied' : 'is reported'),
    },
    {
      header: 'Last',
      isWide: true,
      cell: ({ last_at }) => (last_at === undefined ? 'never' : <Time value={last_at} />),
    },
    { header: 'Next', cell: ({ next_at }) => <Time value={next_at} /> },
    { header: 'Problem', isWide: true, cell: ({ problem }) => problem ?? '' },
    ...(mayStart ? [startColumn(starting.open)] : []),
  ];
  return (
    <Answer of={useDriftSchedules(place)}>
      {({ schedules, may_start }) => (
        <>
          {schedules.length === 0 ? (
            <Empty>No schedules. Add one (key drift) to .infrastate/config.yml of the default branch.</Empty>
          ) : (
            <DataTable
              name="Schedules"
              columns={columnsFor(may_start)}
              rows={schedules}
              rowKey={({ repository, name }) => `${repository} ${name}`}
            />
          )}
          {starting.subject && (
            <StartDialog place={place} schedule={starting.subject} runs={runs} onClose={starting.close} />
          )}
        </>
      )}
    </Answer>
  );
}

function startColumn(open: (schedule: DriftScheduleView) => void): Column<DriftScheduleView> {
  return {
    header: 'Actions',
    isHeaderHidden: true,
    cell: (schedule) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Start now: ${schedule.name} of ${schedule.repository_name}`}
        onClick={() => open(schedule)}
      >
        Start now
      </Button>
    ),
  };
}

function howOften({ schedule, window_start, window_end }: DriftScheduleView): string {
  return window_start === undefined || window_end === undefined
    ? schedule
    : `${schedule}, ${window_start} to ${window_end} UTC`;
}

function StartDialog({
  place: { vcs, installationId },
  schedule: { repository, name, repository_name, reconcile },
  runs,
  onClose,
}: {
  place: InstallationPlace;
  schedule: DriftScheduleView;
  runs: string;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const start = useStartDrift(vcs);
  const [started, setStarted] = useState<string[]>();
  if (started)
    return (
      <SecretDialog title="Start drift run" onClose={onClose}>
        {started.length === 0 ? (
          <Text size="sm" role="status">
            Nothing was started: no directory matches, or pull requests hold all of them.
          </Text>
        ) : (
          <List size="sm" role="status" aria-label="Started runs">
            {started.map((id) => (
              <List.Item key={id}>
                <PageLink to={`${runs}/${id}`} underline="always">{`Run ${id.slice(0, 8)}`}</PageLink>
              </List.Item>
            ))}
          </List>
        )}
      </SecretDialog>
    );
  return (
    <FormDialog
      title="Start drift run"
      opened
      onClose={onClose}
      confirm="Start drift run"
      danger={reconcile}
      onConfirm={async () => {
        const answer = await start.mutateAsync({ path: { installationId, repoId: repository, name } });
        setStarted(answer.work_manifest_ids);
        await queries.invalidateQueries();
        return STAYS;
      }}
    >
      <Text size="sm">
        <bdi>{name}</bdi> of <bdi>{repository_name}</bdi> looks at its directories now, also outside of its
        window.{' '}
        {reconcile
          ? 'What differs is applied: the infrastructure becomes what the default branch says.'
          : 'Nothing is changed.'}
      </Text>
    </FormDialog>
  );
}
