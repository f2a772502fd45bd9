import { Alert, Stack, Title } from '@mantine/core';
import { PageLink, usePathId } from '../../platform/address';
import type { RunDirectoryView, RunStandingView, WorkManifestView } from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { PrintedOutput } from '../transactions';
import { providerOf } from '../vcs';
import { CancelRun } from './cancel-run';
import { useStanding } from './overview-provider';
import { countsOf, directoryOf } from './overview-words';
import { RunFacts } from './run-facts';
import { runLogText } from './run-log-text';
import { isUnderWay, type RunPlace, useRun, useRunLog } from './run-provider';
import { RunState } from './run-state';
import { RunSteps } from './run-steps';
import { RunWaits } from './run-waits';

/** One run: what it is for, its directories, its steps and what it prints. */
export function RunPage() {
  const vcs = providerOf(usePathId('vcs')) ?? 'github';
  const place = {
    vcs,
    installationId: usePathId('installationId'),
    workManifestId: usePathId('workManifestId'),
  };
  const base = `/installations/${vcs}/${encodeURIComponent(place.installationId)}`;
  const asked = useRun(place);
  return (
    <Page
      title={`Run ${place.workManifestId.slice(0, 8)}`}
      crumbs={[{ label: 'Runs', to: `${base}/runs` }]}
      actions={asked.data && <CancelRun run={asked.data} place={place} />}
    >
      <Answer of={asked}>{(run) => <Run run={run} place={place} base={base} />}</Answer>
    </Page>
  );
}

function Run({ run, place, base }: { run: WorkManifestView; place: RunPlace; base: string }) {
  const isLive = isUnderWay(run.state);
  const { data: standing } = useStanding(place, isLive);
  const waits = standing?.waits_for ?? [];
  return (
    <Stack gap="md">
      {run.error && (
        <Alert color="red" variant="light" title={run.error.id} role="alert">
          {run.error.data}
        </Alert>
      )}
      {run.state === 'queued' && waits.length > 0 && (
        <Alert color="blue" variant="light" title="Waiting" role="status">
          <RunWaits waits={waits} runs={`${base}/runs`} />
        </Alert>
      )}
      <RunFacts run={run} standing={standing} base={base} />
      <Title order={2} size="h4">
        Directories
      </Title>
      <RunDirectories run={run} standing={standing} />
      <Title order={2} size="h4">
        Steps
      </Title>
      <RunSteps place={place} isLive={isLive} />
      <Title order={2} size="h4">
        Log
      </Title>
      <RunLog place={place} isLive={isLive} />
    </Stack>
  );
}

/** States come with the run; what changes is known a little later. */
function RunDirectories({ run, standing }: { run: WorkManifestView; standing: RunStandingView | undefined }) {
  const rows: RunDirectoryView[] =
    standing?.dirspaces ??
    run.dirspaces.map(({ dir, workspace, success }) => ({
      dir,
      workspace,
      state: stateOf(run, success),
    }));
  return (
    <DataTable
      name="Directories"
      columns={DIRECTORY_COLUMNS}
      rows={rows}
      rowKey={({ dir, workspace }) => `${workspace} ${dir}`}
    />
  );
}

function stateOf({ state }: WorkManifestView, success: boolean | undefined): RunDirectoryView['state'] {
  if (success !== undefined) return success ? 'success' : 'failure';
  return state === 'completed' ? 'unknown' : state;
}

const DIRECTORY_COLUMNS: Column<RunDirectoryView>[] = [
  { header: 'Directory', cell: (row) => <bdi>{directoryOf(row)}</bdi> },
  { header: 'State', cell: ({ state }) => <RunState state={state} /> },
  { header: 'Changes', cell: countsOf },
  {
    header: 'Transaction',
    isWide: true,
    cell: (row) =>
      row.transaction_id !== undefined && (
        <PageLink
          to={`/transactions/${row.transaction_id}`}
          aria-label={`Transaction of ${directoryOf(row)}`}
        >
          {row.transaction_id.slice(0, 8)}
        </PageLink>
      ),
  },
];

function RunLog({ place, isLive }: { place: RunPlace; isLive: boolean }) {
  return (
    <Answer of={useRunLog(place)}>
      {({ chunks }) =>
        chunks.length === 0 ? (
          <Empty>
            {isLive ? 'Nothing printed yet. It appears here as it comes.' : 'This run printed nothing.'}
          </Empty>
        ) : (
          <PrintedOutput text={runLogText(chunks)} label="Log" isLive />
        )
      }
    </Answer>
  );
}
