import { Button, Text, Title } from '@mantine/core';
import { PageLink } from '../../platform/address';
import type { GateView, HoldView } from '../../platform/client';
import { CopyButton, Time } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';
import { directoryOf, gateNeeds, holdEnd, holderOf, holdReason } from './overview-words';

/** What the pull request holds, and what others hold in its directories. */
export function PullRequestHolds({
  holds,
  pullNumber,
  runs,
  pullRequests,
  onRelease,
}: {
  holds: readonly HoldView[];
  pullNumber: number;
  /** address of the list of runs */
  runs: string;
  /** address below which the pull requests of the repository are */
  pullRequests: string;
  /** of what an aborted drift run left; undefined for those who may not */
  onRelease?: ((run: string) => void) | undefined;
}) {
  if (holds.length === 0) return null;
  const columns: Column<HoldView>[] = [
    { header: 'Directory', cell: (hold) => <bdi>{directoryOf(hold)}</bdi> },
    {
      header: 'Held by',
      cell: ({ pull_number, user }) => (
        <bdi>
          {pull_number === undefined || pull_number === pullNumber ? (
            holderOf(pull_number)
          ) : (
            <PageLink to={`${pullRequests}/${pull_number}`} underline="always">
              {holderOf(pull_number)}
            </PageLink>
          )}
          {`${pull_number === pullNumber ? ' (this)' : ''}${user === undefined ? '' : ` by ${user}`}`}
        </bdi>
      ),
    },
    {
      header: 'Why',
      cell: (hold) =>
        hold.work_manifest_id === undefined ? (
          holdReason(hold)
        ) : (
          <PageLink to={`${runs}/${hold.work_manifest_id}`}>{holdReason(hold)}</PageLink>
        ),
    },
    { header: 'Since', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
    { header: 'How it is released', isWide: true, cell: holdEnd },
    ...(onRelease === undefined ? [] : [releaseColumn(onRelease)]),
  ];
  return (
    <>
      <Title order={2} size="h4">
        Holds
      </Title>
      <Text size="sm">
        While a pull request holds a directory, no other one applies there. Merge or close it, or comment{' '}
        <code>infrastate unlock</code> in it.
      </Text>
      <DataTable
        name="Holds"
        columns={columns}
        rows={holds}
        rowKey={({ dir, workspace }) => `${workspace} ${dir}`}
      />
    </>
  );
}

function releaseColumn(onRelease: (run: string) => void): Column<HoldView> {
  return {
    header: 'Release',
    isHeaderHidden: true,
    cell: (hold) => {
      const { pull_number, reason, work_manifest_id: run } = hold;
      if (pull_number !== undefined || reason !== 'failed' || run === undefined) return null;
      return (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Release ${directoryOf(hold)}`}
          onClick={() => onRelease(run)}
        >
          Release
        </Button>
      );
    },
  };
}

/** Approvals that hooks asked for, and how to give them. */
export function PullRequestGates({ gates }: { gates: readonly GateView[] }) {
  if (gates.length === 0) return null;
  return (
    <>
      <Title order={2} size="h4">
        Gates
      </Title>
      <DataTable name="Gates" columns={GATE_COLUMNS} rows={gates} rowKey={({ token }) => token} />
    </>
  );
}

const GATE_COLUMNS: Column<GateView>[] = [
  { header: 'Gate', cell: ({ name, token }) => <bdi>{name ?? token}</bdi> },
  { header: 'Needs', cell: (gate) => <bdi>{gateNeeds(gate)}</bdi> },
  {
    header: 'Approved by',
    cell: ({ approvals }) => <bdi>{approvals.length === 0 ? 'nobody' : approvals.join(', ')}</bdi>,
  },
  {
    header: 'Comment',
    isHeaderHidden: true,
    cell: ({ token }) => <CopyButton text={`infrastate gate approve ${token}`} label="Copy" />,
  },
];
