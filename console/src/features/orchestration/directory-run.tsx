import { Group, Text } from '@mantine/core';
import { PageLink } from '../../platform/address';
import type { DirectoryRunView } from '../../platform/client';
import { countsOf } from './overview-words';
import { RunState } from './run-state';

/** The newest plan or apply of a directory: how it stands, what it changes, and where to read it. */
export function DirectoryRun({
  run,
  runs,
  label,
}: {
  run: DirectoryRunView | undefined;
  /** address of the list of runs */
  runs: string;
  /** accessible name of the link */
  label: string;
}) {
  if (!run) return '–';
  return (
    <Group gap="xs">
      <RunState state={run.hooks_failed && run.state === 'success' ? 'failure' : run.state} />
      {countsOf(run) !== undefined && (
        <Text span size="sm" ff="monospace">
          {countsOf(run)}
        </Text>
      )}
      <PageLink
        to={`${runs}/${run.work_manifest_id}`}
        aria-label={`${label}: run ${run.work_manifest_id.slice(0, 8)}`}
        size="sm"
      >
        {run.work_manifest_id.slice(0, 8)}
      </PageLink>
      {run.transaction_id !== undefined && (
        <PageLink
          to={`/transactions/${run.transaction_id}`}
          aria-label={`Transaction of the ${label}`}
          size="sm"
        >
          Transaction
        </PageLink>
      )}
    </Group>
  );
}
