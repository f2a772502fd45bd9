import { Badge } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { usePathIds } from '../../platform/address';
import {
  BY_PAGE_TOKEN,
  githubRepositoriesListPullRequestsInfiniteOptions,
  gitlabRepositoriesListPullRequestsInfiniteOptions,
  type PullRequestView,
} from '../../platform/client';
import { NotFound } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { InstallationTabs } from './installation-tabs';
import { providerOf } from './provider';

const columns: Column<PullRequestView>[] = [
  { header: 'Number', cell: ({ pull_number }) => `#${pull_number}` },
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
  const path = { installationId };
  const github = useInfiniteQuery({
    ...githubRepositoriesListPullRequestsInfiniteOptions({ path }),
    ...BY_PAGE_TOKEN,
    enabled: vcs !== 'gitlab',
  });
  const gitlab = useInfiniteQuery({
    ...gitlabRepositoriesListPullRequestsInfiniteOptions({ path }),
    ...BY_PAGE_TOKEN,
    enabled: vcs === 'gitlab',
  });
  return (
    <Page title="Pull requests">
      <InstallationTabs vcs={vcs} installationId={installationId} />
      <Listing
        name="Pull requests"
        query={vcs === 'gitlab' ? gitlab : github}
        rowsOf={({ pull_requests }) => pull_requests}
        columns={columns}
        rowKey={({ repository, pull_number }) => `${repository} ${pull_number}`}
        empty="No pull requests. They appear with the first webhook about them."
      />
    </Page>
  );
}
