import { Alert, Button, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { first, usePathIds, useView } from '../../platform/address';
import {
  BY_PAGE_TOKEN,
  githubRepositoriesListInfiniteOptions,
  githubRepositoriesRefreshMutation,
  githubRepositoriesRemoveMutation,
  gitlabRepositoriesListInfiniteOptions,
  gitlabRepositoriesRefreshMutation,
  gitlabRepositoriesRemoveMutation,
  type RepositoryView,
} from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { FailureAlert, NotFound } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { InstallationTabs } from './installation-tabs';
import { LinkedAccount } from './linked-account';
import { providerOf } from './provider';
import { RefreshProgress } from './refresh-progress';
import { RepositorySetup } from './repository-setup';

/** Repositories of an installation. */
export function RepositoriesPage() {
  const { vcs: spelling = '', installationId = '' } = usePathIds();
  const vcs = providerOf(spelling);
  if (!vcs) return <NotFound what="This code-hosting provider is not known" />;
  return <Repositories vcs={vcs} installationId={installationId} />;
}

function Repositories({ vcs, installationId }: { vcs: 'github' | 'gitlab'; installationId: string }) {
  const path = { installationId };
  const github = useInfiniteQuery({
    ...githubRepositoriesListInfiniteOptions({ path }),
    ...BY_PAGE_TOKEN,
    enabled: vcs !== 'gitlab',
  });
  const gitlab = useInfiniteQuery({
    ...gitlabRepositoriesListInfiniteOptions({ path }),
    ...BY_PAGE_TOKEN,
    enabled: vcs === 'gitlab',
  });
  const [taskId, setTaskId] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const onSuccess = ({ id }: { id: string }): void => {
    setFailure(undefined);
    setTaskId(id);
  };
  const onEnd = useCallback((reason?: string): void => {
    setFailure(reason);
    setTaskId(undefined);
  }, []);
  const refreshGithub = useMutation({ ...githubRepositoriesRefreshMutation(), onSuccess });
  const refreshGitlab = useMutation({ ...gitlabRepositoriesRefreshMutation(), onSuccess });
  const refresh = vcs === 'gitlab' ? refreshGitlab : refreshGithub;
  const removing = useDialog<RepositoryView>();
  const [view] = useView<Partial<Record<'github_link' | 'gitlab_link', string | string[]>>>();
  const columns: Column<RepositoryView>[] = [
    { header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { header: 'Setup', cell: (repository) => <RepositorySetup vcs={vcs} repository={repository} /> },
    { header: 'Updated', isWide: true, cell: ({ updated_at }) => <Time value={updated_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (repository) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Remove ${repository.name}`}
          onClick={() => removing.open(repository)}
        >
          Remove
        </Button>
      ),
    },
  ];
  return (
    <Page
      title="Repositories"
      actions={
        <Button loading={refresh.isPending || taskId !== undefined} onClick={() => refresh.mutate({ path })}>
          Refresh
        </Button>
      }
    >
      <InstallationTabs vcs={vcs} installationId={installationId} />
      {first(view[`${vcs}_link`]) === 'error' && (
        <Alert color="red" variant="light" title="Not linked" role="alert" mb="md">
          The code host refused to say who you are there. Nothing was changed; link your account again.
        </Alert>
      )}
      {refresh.error && <FailureAlert failure={refresh.error} />}
      {failure !== undefined && (
        <Alert color="red" variant="light" title="Not refreshed" role="alert" mb="md">
          The code host could not be read to the end: {failure}. Nothing was removed; refresh again.
        </Alert>
      )}
      {taskId !== undefined && <RefreshProgress taskId={taskId} onEnd={onEnd} />}
      <Listing
        name="Repositories"
        query={vcs === 'gitlab' ? gitlab : github}
        rowsOf={({ repositories }) => repositories}
        columns={columns}
        rowKey={({ id }) => id}
        empty="No repositories. They appear with their first webhook, or when you press Refresh."
      />
      {removing.subject && <RemoveDialog vcs={vcs} repository={removing.subject} onClose={removing.close} />}
    </Page>
  );
}

function RemoveDialog({
  vcs,
  repository: { id, installation_id: installationId, name },
  onClose,
}: {
  vcs: 'github' | 'gitlab';
  repository: RepositoryView;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const github = useMutation(githubRepositoriesRemoveMutation());
  const gitlab = useMutation(gitlabRepositoriesRemoveMutation());
  return (
    <FormDialog
      title="Remove repository"
      opened
      onClose={onClose}
      confirm="Remove repository"
      danger
      onConfirm={async () => {
        await (vcs === 'gitlab' ? gitlab : github).mutateAsync({ path: { installationId, repoId: id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        <bdi>{name}</bdi> is removed with its pull requests, runs and outputs. It must be archived at the
        provider, and you must administer its owner there.
      </Text>
      <LinkedAccount vcs={vcs} />
    </FormDialog>
  );
}
