import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  githubRepositoriesShowSetupOptions,
  gitlabRepositoriesShowSetupOptions,
  type RepositorySetupView,
  type RepositoryView,
} from '../../platform/client';
import { wordsOf } from '../../platform/errors';

/** Whether a repository is set up; what is missing is asked of the provider when somebody wants to know. */
export function RepositorySetup({ vcs, repository }: { vcs: string; repository: RepositoryView }) {
  const [isAsked, setAsked] = useState(false);
  const path = { installationId: repository.installation_id, repoId: repository.id };
  const github = useQuery({
    ...githubRepositoriesShowSetupOptions({ path }),
    enabled: isAsked && vcs !== 'gitlab',
  });
  const gitlab = useQuery({
    ...gitlabRepositoriesShowSetupOptions({ path }),
    enabled: isAsked && vcs === 'gitlab',
  });
  const { data, error } = vcs === 'gitlab' ? gitlab : github;
  if (repository.setup) return 'Set up';
  if (!isAsked)
    return (
      <Button size="compact-sm" variant="subtle" onClick={() => setAsked(true)}>
        What is missing
      </Button>
    );
  if (data)
    return (
      <Text size="sm" component="span">
        {missingOf(data)}
      </Text>
    );
  return (
    <Text size="sm" component="span" role={error ? 'alert' : 'status'}>
      {error ? wordsOf(error) : 'Looking…'}
    </Text>
  );
}

function missingOf({ workflow, workflow_file: file, configuration }: RepositorySetupView): string {
  const missing = [
    ...(workflow || file === undefined ? [] : [file]),
    ...(configuration ? [] : ['.infrastate/config.yml']),
  ];
  return missing.length === 0 ? 'Set up' : `Missing: ${missing.join(', ')}`;
}
