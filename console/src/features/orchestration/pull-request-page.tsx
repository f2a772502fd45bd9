import { Alert, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { OutsideLink, usePathId } from '../../platform/address';
import type {
  PlanDescriptionView,
  PullRequestDirectoryView,
  PullRequestOverviewView,
} from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { Answer, Empty } from '../../platform/errors';
import { Facts, Id, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { providerOf } from '../vcs';
import { DirectoryRun } from './directory-run';
import { ReleaseDialog } from './drift-hold';
import { type PullRequestPlace, usePullRequest } from './overview-provider';
import { directoryOf } from './overview-words';
import { PullRequestCommands } from './pull-request-commands';
import { planObstacle } from './pull-request-commands.rules';
import { PullRequestGates, PullRequestHolds } from './pull-request-locks';
import { PullRequestMistakes } from './pull-request-mistakes';
import { PullRequestRuns } from './pull-request-runs';
import { RunState } from './run-state';

/** One pull request: its plans beside their applies, what it holds, what it waits for, and all of its runs. */
export function PullRequestPage() {
  const vcs = providerOf(usePathId('vcs')) ?? 'github';
  const place = {
    vcs,
    installationId: usePathId('installationId'),
    repoId: usePathId('repoId'),
    pullNumber: usePathId('pullNumber'),
  };
  const base = `/installations/${vcs}/${encodeURIComponent(place.installationId)}`;
  const asked = usePullRequest(place);
  return (
    <Page
      title={`Pull request #${place.pullNumber}`}
      object={asked.data && `${asked.data.owner}/${asked.data.name}`}
      crumbs={[{ label: 'Pull requests', to: `${base}/pull-requests` }]}
    >
      <Answer of={asked}>{(found) => <PullRequest found={found} place={place} base={base} />}</Answer>
    </Page>
  );
}

function PullRequest({
  found,
  place,
  base,
}: {
  found: PullRequestOverviewView;
  place: PullRequestPlace;
  base: string;
}) {
  const runs = `${base}/runs`;
  const releasing = useDialog<string>();
  const isReleasable =
    found.may_release &&
    found.holds.some(({ pull_number, reason }) => pull_number === undefined && reason === 'failed');
  return (
    <Stack gap="md">
      {found.is_fork && (
        <Alert color="yellow" variant="light" title="From a fork">
          Nothing is planned or applied for pull requests from forks. Push the branch to this repository
          instead.
        </Alert>
      )}
      <Facts
        facts={[
          ['Title', found.title === undefined ? undefined : <bdi key="title">{found.title}</bdi>],
          ['State', <RunState key="state" state={found.is_draft ? `${found.state}, draft` : found.state} />],
          ['Repository', <bdi key="repository">{`${found.owner}/${found.name}`}</bdi>],
          ['Branch', <bdi key="branch">{`${found.branch} → ${found.base_branch}`}</bdi>],
          ['Commit', <Id key="commit" value={found.sha} short />],
          ['By', found.user === undefined ? undefined : <bdi key="user">{found.user}</bdi>],
          ['Merged', found.merged_at && <Time key="merged" value={found.merged_at} />],
          [
            'At the code host',
            <OutsideLink key="url" href={found.url}>
              {`${place.vcs === 'github' ? 'GitHub' : 'GitLab'} #${found.pull_number}`}
            </OutsideLink>,
          ],
        ]}
      />
      <PullRequestMistakes mistakes={found.mistakes} />
      <Section title="Directories">
        {found.directories.length === 0 ? (
          <Empty>
            Nothing is planned for the newest commit: it changes no directory with Terraform files, or its
            plan has not been asked for yet.
          </Empty>
        ) : (
          <DataTable
            name="Directories"
            columns={directoryColumns(runs, found.state)}
            rows={found.directories}
            rowKey={({ dir, workspace }) => `${workspace} ${dir}`}
          />
        )}
      </Section>
      {found.descriptions.length > 0 && (
        <Section title="Cost and findings">
          <DataTable
            name="Cost and findings"
            columns={DESCRIPTION_COLUMNS}
            rows={found.descriptions}
            rowKey={({ dir, workspace, title }) => `${title} ${workspace} ${dir}`}
          />
        </Section>
      )}
      <PullRequestHolds
        holds={found.holds}
        pullNumber={found.pull_number}
        runs={runs}
        pullRequests={`${base}/pull-requests/${encodeURIComponent(place.repoId)}`}
        onRelease={isReleasable ? releasing.open : undefined}
      />
      {releasing.subject !== undefined && (
        <ReleaseDialog place={place} run={releasing.subject} base={base} onClose={releasing.close} />
      )}
      <PullRequestGates gates={found.gates} />
      <Section title="Commands">
        <PullRequestCommands found={found} />
      </Section>
      <Section title="Runs">
        <PullRequestRuns found={found} place={place} runs={runs} />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </>
  );
}

function directoryColumns(
  runs: string,
  state: PullRequestOverviewView['state'],
): Column<PullRequestDirectoryView>[] {
  return [
    { header: 'Directory', cell: (directory) => <bdi>{directoryOf(directory)}</bdi> },
    {
      header: 'Plan',
      cell: (directory) => (
        <>
          <DirectoryRun run={directory.plan} runs={runs} label={`Plan of ${directoryOf(directory)}`} />
          {state !== 'closed' && <PlanObstacle directory={directory} />}
        </>
      ),
    },
    {
      header: 'Apply',
      cell: (directory) => (
        <DirectoryRun run={directory.apply} runs={runs} label={`Apply of ${directoryOf(directory)}`} />
      ),
    },
  ];
}

function PlanObstacle({ directory }: { directory: PullRequestDirectoryView }) {
  const obstacle = planObstacle(directory);
  return obstacle !== undefined && <Text size="sm">{obstacle}</Text>;
}

const DESCRIPTION_COLUMNS: Column<PlanDescriptionView>[] = [
  { header: 'Directory', cell: (each) => <bdi>{directoryOf(each)}</bdi> },
  { header: 'What', cell: ({ title }) => title },
  { header: 'With the plan', cell: ({ text }) => <bdi>{text}</bdi> },
];
