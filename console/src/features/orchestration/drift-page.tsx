import { Group, NativeSelect, Title } from '@mantine/core';
import { useCallback } from 'react';
import { first, OutsideLink, PageLink, usePathIds, useView } from '../../platform/address';
import type { DriftView } from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { NotFound } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, FilterField, Listing } from '../../platform/table';
import { InstallationTabs, providerOf } from '../vcs';
import { DriftHold, ReleaseDialog } from './drift-hold';
import { DriftSchedules } from './drift-schedules';
import { type InstallationPlace, useDrift } from './overview-provider';
import { countsOf, directoryOf } from './overview-words';
import { RunState } from './run-state';

const STATES = ['drifted', 'clean', 'failed', 'looking', 'unknown'] as const;

/** What the last look for drift found in each directory, and the schedules that look. */
export function DriftPage() {
  const { vcs: spelling = '', installationId = '' } = usePathIds();
  const vcs = providerOf(spelling);
  if (!vcs) return <NotFound what="This code-hosting provider is not known" />;
  return <Drift vcs={vcs} installationId={installationId} />;
}

function Drift(place: InstallationPlace) {
  const [view, setView] = useView<{ state?: string | string[]; repo?: string | string[] }>();
  const state = STATES.find((each) => each === first(view.state));
  const repo = first(view.repo) ?? '';
  const filterRepo = useCallback((text: string) => setView({ repo: text }), [setView]);
  const base = `/installations/${place.vcs}/${encodeURIComponent(place.installationId)}`;
  const releasing = useDialog<string>();
  const isFiltered = state !== undefined || repo !== '';
  const filter = { ...(state === undefined ? {} : { state }), ...(repo === '' ? {} : { repo }) };
  const drift = useDrift(place, filter);
  const mayRelease = drift.data?.pages[0]?.may_release === true;
  return (
    <Page title="Drift">
      <InstallationTabs {...place} />
      <Title order={2} size="h4">
        Directories
      </Title>
      <Group gap="md" align="end">
        <NativeSelect
          label="State"
          value={state ?? ''}
          data={[{ value: '', label: 'All' }, ...STATES]}
          onChange={(event) => setView({ state: event.currentTarget.value })}
        />
        <FilterField
          label="Repository"
          aria-label="Repository"
          placeholder="Name without owner"
          value={repo}
          onFilter={filterRepo}
        />
      </Group>
      <Listing
        name="Drift"
        query={drift}
        rowsOf={({ drift }) => drift}
        columns={columnsFor(base, mayRelease ? releasing.open : undefined)}
        rowKey={({ repository, dir, workspace }) => `${repository} ${workspace} ${dir}`}
        empty={
          isFiltered
            ? 'No directory matches.'
            : 'No directory has been checked for drift yet. Add a schedule (key drift) to .infrastate/config.yml of the default branch.'
        }
      />
      {releasing.subject !== undefined && (
        <ReleaseDialog place={place} run={releasing.subject} base={base} onClose={releasing.close} />
      )}
      <Title order={2} size="h4">
        Schedules
      </Title>
      <DriftSchedules place={place} runs={`${base}/runs`} />
    </Page>
  );
}

function columnsFor(base: string, onRelease: ((run: string) => void) | undefined): Column<DriftView>[] {
  return [
    { header: 'Directory', cell: (row) => <bdi>{directoryOf(row)}</bdi> },
    { header: 'Repository', isWide: true, cell: ({ owner, name }) => <bdi>{`${owner}/${name}`}</bdi> },
    {
      header: 'State',
      cell: (row) => (
        <Group gap="xs">
          <RunState state={row.state} />
          {row.state === 'drifted' && <span>{countsOf(row)}</span>}
          {row.hold && <DriftHold row={row} hold={row.hold} base={base} onRelease={onRelease} />}
        </Group>
      ),
    },
    {
      header: 'Last looked',
      isWide: true,
      cell: ({ looked_at }) => (looked_at === undefined ? 'under way' : <Time value={looked_at} />),
    },
    {
      header: 'Run',
      cell: ({ work_manifest_id: id }) => <PageLink to={`${base}/runs/${id}`}>{id.slice(0, 8)}</PageLink>,
    },
    {
      header: 'Differs since',
      isWide: true,
      cell: ({ drifted_since }) => drifted_since && <Time value={drifted_since} />,
    },
    { header: 'More', isWide: true, cell: (row) => <DriftLinks row={row} /> },
  ];
}

/** Where the resources that differ are listed, and where people talk about them. */
function DriftLinks({ row }: { row: DriftView }) {
  const of = `${directoryOf(row)} of ${row.name}`;
  return (
    <Group gap="sm">
      {row.state === 'drifted' && row.transaction_id !== undefined && (
        <PageLink to={`/transactions/${row.transaction_id}`} aria-label={`Resources that differ in ${of}`}>
          Resources
        </PageLink>
      )}
      {row.state_id !== undefined && (
        <PageLink to={`/states/${row.state_id}`} aria-label={`State of ${of}`}>
          State
        </PageLink>
      )}
      {/^https:/i.test(row.issues_url) && <OutsideLink href={row.issues_url}>Issues</OutsideLink>}
    </Group>
  );
}
