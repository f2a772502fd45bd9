import { Group } from '@mantine/core';
import { useCallback } from 'react';
import { first, PageLink, usePathId, useView } from '../../platform/address';
import { Page } from '../../platform/page';
import { FilterField, Listing } from '../../platform/table';
import { InstallationTabs } from '../vcs';
import { runColumns } from './run-columns';
import { useRuns } from './run-provider';

/** Tag queries that people use most. */
const QUICK_FILTERS = [
  { label: 'All', q: undefined },
  { label: 'Under way', q: 'state:queued or state:running' },
  { label: 'Plans', q: 'type:plan' },
  { label: 'Applies', q: 'type:apply' },
  { label: 'Drift', q: 'kind:drift' },
  { label: 'Failed', q: 'state:failure or state:aborted' },
] as const;

const ORDERS = ['asc', 'desc'] as const;

/** Runs of an installation, newest first unless the address has `d=asc`; `tz` of the address is the zone of its dates. */
export function RunsPage() {
  const [vcs, installationId] = [usePathId('vcs'), usePathId('installationId')];
  const [view, setView] = useView();
  const q = first(view['q']) ?? '';
  const d = ORDERS.find((order) => order === first(view['d']));
  const tz = first(view['tz']) || undefined;
  const search = useCallback((text: string) => setView({ q: text }), [setView]);
  const path = `/installations/${vcs}/${encodeURIComponent(installationId)}/runs`;
  return (
    <Page title="Runs">
      <InstallationTabs vcs={vcs} installationId={installationId} />
      <FilterField
        aria-label="Search"
        label="Search"
        description="A tag query: repo:infra and type:apply, pr:42, dir:network, state:failure"
        placeholder="repo:infra and type:apply"
        value={q}
        onFilter={search}
        maw="40rem"
      />
      <Group gap="md" component="nav" aria-label="Quick filters">
        {QUICK_FILTERS.map((filter) => (
          <PageLink key={filter.label} size="sm" to={path} search={{ ...view, q: filter.q }}>
            {filter.label}
          </PageLink>
        ))}
      </Group>
      <Listing
        name="Runs"
        query={useRuns({ vcs, installationId }, { q, d, tz })}
        rowsOf={({ work_manifests }) => work_manifests}
        columns={runColumns(path)}
        rowKey={({ id }) => id}
        empty={
          q === ''
            ? 'No runs. The first one comes with a pull request that changes a directory with Terraform files.'
            : 'No run matches.'
        }
      />
    </Page>
  );
}
