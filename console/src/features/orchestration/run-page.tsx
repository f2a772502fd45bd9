import { Alert, Stack, Title } from '@mantine/core';
import { usePathId } from '../../platform/address';
import type { WorkManifestView } from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { Facts, Id, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { PrintedOutput } from '../transactions';
import { isUnderWay, type RunPlace, useRun, useRunLog } from './run-provider';
import { RunState } from './run-state';
import { RunSteps } from './run-steps';
import { originOf, outcomeOf } from './run-words';

type RunDirspace = WorkManifestView['dirspaces'][number];

/** One run: what it is for, its directories, its steps and what it prints. */
export function RunPage() {
  const vcs = usePathId('vcs');
  const place = {
    vcs,
    installationId: usePathId('installationId'),
    workManifestId: usePathId('workManifestId'),
  };
  const base = `/installations/${vcs}/${encodeURIComponent(place.installationId)}`;
  return (
    <Page title={`Run ${place.workManifestId.slice(0, 8)}`} crumbs={[{ label: 'Runs', to: `${base}/runs` }]}>
      <Answer of={useRun(place)}>{(run) => <Run run={run} place={place} />}</Answer>
    </Page>
  );
}

function Run({ run, place }: { run: WorkManifestView; place: RunPlace }) {
  const isLive = isUnderWay(run.state);
  return (
    <Stack gap="md">
      {run.error && (
        <Alert color="red" variant="light" title={run.error.id} role="alert">
          {run.error.data}
        </Alert>
      )}
      <Facts
        facts={[
          ['State', <RunState key="state" state={outcomeOf(run)} />],
          ['Type', run.run_type],
          ['For', <bdi key="for">{originOf(run)}</bdi>],
          ['Repository', <bdi key="repository">{`${run.owner}/${run.repo}`}</bdi>],
          ['Branch', <bdi key="branch">{`${run.branch} → ${run.base_branch}`}</bdi>],
          ['Commit', <Id key="commit" value={run.branch_ref} short />],
          ['Tag query', run.tag_query === '' ? undefined : <bdi key="query">{run.tag_query}</bdi>],
          ['Environment', run.environment],
          ['CI run', run.run_id],
          ['By', run.user],
          ['Created', <Time key="created" value={run.created_at} />],
          ['Ended', run.completed_at && <Time key="ended" value={run.completed_at} />],
        ]}
      />
      <Title order={2} size="h4">
        Directories
      </Title>
      <DataTable
        name="Directories"
        columns={directoryColumns(run)}
        rows={run.dirspaces}
        rowKey={({ dir, workspace }) => `${workspace} ${dir}`}
      />
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

function directoryColumns({ state }: WorkManifestView): Column<RunDirspace>[] {
  const stateOf = ({ success }: RunDirspace): string =>
    success === undefined ? state : success ? 'success' : 'failure';
  return [
    { header: 'Directory', cell: ({ dir }) => <bdi>{dir === '' ? '.' : dir}</bdi> },
    { header: 'Workspace', cell: ({ workspace }) => <bdi>{workspace}</bdi> },
    { header: 'State', cell: (dirspace) => <RunState state={stateOf(dirspace)} /> },
  ];
}

function RunLog({ place, isLive }: { place: RunPlace; isLive: boolean }) {
  return (
    <Answer of={useRunLog(place)}>
      {({ chunks }) =>
        chunks.length === 0 ? (
          <Empty>
            {isLive ? 'Nothing printed yet. It appears here as it comes.' : 'This run printed nothing.'}
          </Empty>
        ) : (
          <PrintedOutput text={chunks.map(({ text }) => text).join('')} label="Log" isLive />
        )
      }
    </Answer>
  );
}
