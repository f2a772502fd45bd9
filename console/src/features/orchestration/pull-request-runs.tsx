import { Group } from '@mantine/core';
import { first, PageLink, useView } from '../../platform/address';
import type { PullRequestOverviewView } from '../../platform/client';
import { Listing } from '../../platform/table';
import type { PullRequestPlace } from './overview-provider';
import { useRuns } from './run-provider';
import { runColumns } from './run-columns';

/** Runs of one pull request by state and type; the choice stays in the address. */
const FILTERS = [
  { label: 'All', show: undefined, q: '' },
  { label: 'Under way', show: 'under-way', q: ' and (state:queued or state:running)' },
  { label: 'Plans', show: 'plans', q: ' and type:plan' },
  { label: 'Applies', show: 'applies', q: ' and type:apply' },
  { label: 'Aborted', show: 'aborted', q: ' and state:aborted' },
] as const;

export function PullRequestRuns({
  found,
  place,
  runs,
}: {
  found: PullRequestOverviewView;
  place: PullRequestPlace;
  /** address of the list of runs */
  runs: string;
}) {
  const [view] = useView<{ show?: string | string[] }>();
  const show = first(view.show);
  const filter = FILTERS.find((each) => each.show === show) ?? FILTERS[0];
  const q = `pr:${found.pull_number} and repo:${quoted(found.name)}${filter.q}`;
  const page = `/installations/${place.vcs}/${encodeURIComponent(place.installationId)}/pull-requests/${encodeURIComponent(place.repoId)}/${place.pullNumber}`;
  return (
    <>
      <Group gap="md" component="nav" aria-label="Runs by state">
        {FILTERS.map((each) => (
          <PageLink key={each.label} size="sm" to={page} search={{ show: each.show }}>
            {each.label}
          </PageLink>
        ))}
      </Group>
      <Listing
        name="Runs"
        query={useRuns(place, { q })}
        // Namespaces of one group may have repositories of the same name.
        rowsOf={({ work_manifests }) => work_manifests.filter(({ repo_id }) => repo_id === found.repository)}
        columns={runColumns(runs, ['Run', 'Type', 'State', 'Directories', 'By', 'Created'])}
        rowKey={({ id }) => id}
        empty={filter.show === undefined ? 'No runs of this pull request yet.' : 'No run matches.'}
      />
    </>
  );
}

/** A value of a tag query; names of repositories have no quotes. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '')}"`;
}
