import { Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useAllowed } from '../../platform/access';
import { PageLink } from '../../platform/address';
import {
  BY_PAGE_TOKEN,
  stateVersionsDocument,
  stateVersionsListInfiniteOptions,
  type StateVersionView,
} from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { formatBytes, formatCount, Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { DownloadButton } from './download-button';
import { RestoreDialog } from './restore-dialog';
import { useStateOfPage } from './state-context';

const ORIGINS: Readonly<Record<StateVersionView['origin'], string>> = {
  backend: 'written',
  force: 'written by force',
  import: 'imported',
  merge: 'merged',
  restore: 'restored',
  transaction: 'applied',
};

/** Every document a state has had. */
export function VersionsPage() {
  const state = useStateOfPage();
  usePage('Versions', state.name);
  const mayRestore = useAllowed({ capability: 'admin', tenantId: state.tenant_id, stateId: state.id });
  const restoring = useDialog<StateVersionView>();
  const query = useInfiniteQuery({
    ...stateVersionsListInfiniteOptions({ path: { stateId: state.id } }),
    ...BY_PAGE_TOKEN,
  });
  const all = query.data?.pages.flatMap((page) => page.results) ?? [];
  const serialBefore = (version: StateVersionView): number | undefined =>
    all.find((other) => other.version < version.version)?.serial;
  const columns: Column<StateVersionView>[] = [
    { header: 'Version', isNumber: true, cell: (version) => formatCount(version.version) },
    { header: 'Serial', isNumber: true, isWide: true, cell: (version) => formatCount(version.serial) },
    {
      header: 'By',
      cell: (version) => (
        <>
          <bdi>{version.created_by_name ?? 'the service'}</bdi>, <Time value={version.created_at} />
          <Text size="xs" c="dimmed">
            {ORIGINS[version.origin]} in{' '}
            <PageLink to={`/transactions/${version.tx_id}`}>{version.tx_id.slice(0, 8)}</PageLink>
          </Text>
        </>
      ),
    },
    { header: 'Size', isNumber: true, isWide: true, cell: (version) => formatBytes(version.size) },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (version) => (
        <Actions
          version={version}
          previous={serialBefore(version)}
          mayRestore={mayRestore}
          onRestore={() => restoring.open(version)}
        />
      ),
    },
  ];
  return (
    <>
      <Listing
        name="Versions"
        query={query}
        rowsOf={(page) => page.results}
        rowKey={(version) => String(version.version)}
        columns={columns}
        empty="No versions yet. Each document that is written becomes one."
      />
      {restoring.subject && (
        <RestoreDialog state={state} version={restoring.subject} onClose={restoring.close} />
      )}
    </>
  );
}

interface ActionsProps {
  version: StateVersionView;
  /** serial of the version before, when it is known */
  previous: number | undefined;
  mayRestore: boolean;
  onRestore: () => void;
}

function Actions({ version, previous, mayRestore, onRestore }: ActionsProps) {
  const state = useStateOfPage();
  const isCurrent = version.version === state.version;
  const base = `/states/${state.id}/versions`;
  return (
    <Group gap="xs" justify="flex-end">
      {isCurrent ? (
        previous !== undefined && (
          <PageLink to={`${base}/${previous}/diff/${version.serial}`}>Compare</PageLink>
        )
      ) : (
        <PageLink to={`${base}/${version.serial}/diff/${state.serial}`}>Compare</PageLink>
      )}
      <DownloadButton
        isSmall
        aria-label={`Download version ${version.version}`}
        file={`${state.name}-version-${version.version}.tfstate`}
        read={() =>
          stateVersionsDocument({
            path: { stateId: state.id, serial: String(version.serial) },
            parseAs: 'blob',
            throwOnError: true,
          })
        }
      />
      {mayRestore && !isCurrent && (
        <Button size="compact-sm" variant="default" onClick={onRestore}>
          Restore
        </Button>
      )}
    </Group>
  );
}
