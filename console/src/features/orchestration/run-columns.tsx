import { PageLink } from '../../platform/address';
import type { WorkManifestView } from '../../platform/client';
import { Time } from '../../platform/formats';
import type { Column } from '../../platform/table';
import { RunState } from './run-state';
import { originOf, outcomeOf } from './run-words';

/** Columns of lists of runs. `runs`: address of the list of runs; `headers`: those that are shown. */
export function runColumns(runs: string, headers?: readonly string[]): Column<WorkManifestView>[] {
  const columns: Column<WorkManifestView>[] = [
    {
      header: 'Run',
      cell: ({ id }) => (
        <PageLink to={`${runs}/${id}`} style={{ whiteSpace: 'nowrap' }}>
          {id.slice(0, 8)}
        </PageLink>
      ),
    },
    { header: 'Type', isWide: true, cell: ({ run_type }) => run_type },
    { header: 'State', cell: (run) => <RunState state={outcomeOf(run)} /> },
    { header: 'For', cell: (run) => <bdi>{originOf(run)}</bdi> },
    { header: 'Repository', isWide: true, cell: ({ owner, repo }) => <bdi>{`${owner}/${repo}`}</bdi> },
    { header: 'Branch', isWide: true, cell: ({ branch }) => <bdi>{branch}</bdi> },
    { header: 'Directories', isNumber: true, isWide: true, cell: ({ dirspaces }) => dirspaces.length },
    { header: 'By', isWide: true, cell: ({ user }) => <bdi>{user}</bdi> },
    { header: 'Created', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
  ];
  return headers === undefined ? columns : columns.filter(({ header }) => headers.includes(header));
}
