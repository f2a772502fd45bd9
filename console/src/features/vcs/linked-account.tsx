import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  ApiFailure,
  client,
  type GithubAccountsStartData,
  githubAccountsShowOptions,
  type GitlabAccountsStartData,
  gitlabAccountsShowOptions,
} from '../../platform/client';
import { FailureAlert } from '../../platform/errors';

/** The caller's account at the code host, which it is asked about; a button that links one where there is none. */
export function LinkedAccount({ vcs }: { vcs: 'github' | 'gitlab' }) {
  const github = useQuery({ ...githubAccountsShowOptions(), enabled: vcs === 'github', retry: false });
  const gitlab = useQuery({ ...gitlabAccountsShowOptions(), enabled: vcs === 'gitlab', retry: false });
  const { data, error } = vcs === 'gitlab' ? gitlab : github;
  const host = vcs === 'gitlab' ? 'GitLab' : 'GitHub';
  if (data)
    return (
      <Text size="sm">
        Your account at {host} is <bdi>{data.username}</bdi>.
      </Text>
    );
  if (!error) return null;
  if (!(error instanceof ApiFailure) || error.status !== 403) return <FailureAlert failure={error} />;
  return (
    <>
      <Text size="sm">{host} is asked whether you may do this, but no account of yours there is linked.</Text>
      <Button variant="default" onClick={() => window.location.assign(linkAddress(vcs))}>
        {`Link a ${host} account`}
      </Button>
    </>
  );
}

/** The browser goes there itself: the provider sends it back to this page. */
function linkAddress(vcs: 'github' | 'gitlab'): string {
  const github: GithubAccountsStartData['url'] = '/api/v1/github/link/start';
  const gitlab: GitlabAccountsStartData['url'] = '/api/v1/gitlab/link/start';
  const query = { rd: `${window.location.pathname}${window.location.search}` };
  return client.buildUrl({ url: vcs === 'gitlab' ? gitlab : github, query });
}
