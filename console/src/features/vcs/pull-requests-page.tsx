import { Badge } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { first, PageLink, usePathIds, useView } from '../../platform/address';
import {
  BY_PAGE_TOKEN,
  githubRepositoriesListPullRequestsInfiniteOptions,
  gitlabRepositoriesListPullRequestsInfiniteOptions,
  type PullRequestView,
} from '../../platform/client';
import { NotFound } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, FilterField, Listing } from '../../platform/table';
import { InstallationTabs } from './installation-tabs';
import { providerOf } from './provider';

/** How often the list is asked for again. */
const LIST_MS = 10_000;

const columnsFor = (base: string): Column<PullRequestView>[] => [
  {
    header: 'Number',
    cell: ({ repository, name, pull_number }) => (
      <PageLink
        to={`${base}/pull-requests/${encodeURIComponent(repository)}/${pull_number}`}
        aria-label={`Pull request #${pull_number} of ${name}`}
      >{`#${pull_number}`}</PageLink>
    ),
  },
  { header: 'Title', cell: ({ title }) => <bdi>{title}</bdi> },
  { header: 'Repository', cell: ({ owner, name }) => <bdi>{`${owner}/${name}`}</bdi> },
  {
    header: 'State',
    cell: ({ state }) => (
      <Badge variant="outline" color="gray" c="var(--mantine-color-text)">
        {state}
      </Badge>
    ),
  },
  {
    header: 'Branch',
    isWide: true,
    cell: ({ branch, base_branch }) => <bdi>{`${branch} → ${base_branch}`}</bdi>,
  },
  { header: 'By', isWide: true, cell: ({ user }) => <bdi>{user}</bdi> },
  {
    header: 'Last run',
    isWide: true,
    cell: ({ latest_work_manifest_run_at }) =>
      latest_work_manifest_run_at && <Time value={latest_work_manifest_run_at} />,
  },
];

/** Pull requests of an installation's repositories. */
export function PullRequestsPage() {
  const { vcs: spelling = '', installationId = '' } = usePathIds();
  const vcs = providerOf(spelling);
  if (!vcs) return <NotFound what="This code-hosting provider is not known" />;
  return <PullRequests vcs={vcs} installationId={installationId} />;
}

function PullRequests({ vcs, installationId }: { vcs: 'github' | 'gitlab'; installationId: string }) {
  const [view, setView] = useView<{ pr?: string | string[] }>();
  const pr = first(view.pr) ?? '';
  const isNumber = /^[1-9]\d{0,8}$/.test(pr);
  const filter = useCallback((text: string) => setView({ pr: text.replace(/^#/, '').trim() }), [setView]);
  const options = { path: { installationId }, query: isNumber ? { pr: Number(pr) } : {} };
  const github = useInfiniteQuery({
    ...githubRepositoriesListPullRequestsInfiniteOptions(options),
    ...BY_PAGE_TOKEN,
    enabled: vcs !== 'gitlab',
    refetchInterval: LIST_MS,
  });
  const gitlab = useInfiniteQuery({
    ...gitlabRepositoriesListPullRequestsInfiniteOptions(options),
    ...BY_PAGE_TOKEN,
    enabled: vcs === 'gitlab',
    refetchInterval: LIST_MS,
  });
  return (
    <Page title="Pull requests">
      <InstallationTabs vcs={vcs} installationId={installationId} />
      <FilterField
        label="Number"
        aria-label="Number"
        placeholder="42"
        inputMode="numeric"
        value={pr}
        error={pr === '' || isNumber ? undefined : 'A pull request has a whole number'}
        onFilter={filter}
        maw="12rem"
      />
      <Listing
        name="Pull requests"
        query={vcs === 'gitlab' ? gitlab : github}
        rowsOf={({ pull_requests }) => pull_requests}
        columns={columnsFor(`/installations/${vcs}/${encodeURIComponent(installationId)}`)}
        rowKey={({ repository, pull_number }) => `${repository} ${pull_number}`}
        empty={
          isNumber
            ? 'No pull request has this number.'
            : 'No pull requests. They appear with the first webhook about them.'
        }
      />
    </Page>
  );
}
