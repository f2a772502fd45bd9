import { Button } from '@mantine/core';
import type { FindingView } from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { type Column, DataTable, Listing } from '../../platform/table';
import { FindingPanel } from './finding-panel';
import { Severity } from './severities';

interface Page {
  findings: FindingView[];
  total_count: number;
}

interface FindingListingProps {
  query: Parameters<typeof Listing<Page, FindingView>>[0]['query'];
  tenantId: string;
  empty: string;
  hasStates?: boolean;
}

/** Findings that are read page by page, with the details of the one that is opened. */
export function FindingListing({ query, tenantId, empty, hasStates = false }: FindingListingProps) {
  const opened = useDialog<FindingView>();
  return (
    <>
      <Listing
        name="Findings"
        query={query}
        rowsOf={(page) => page.findings}
        rowKey={keyOf}
        total={query.data?.pages[0]?.total_count}
        columns={columnsOf(hasStates, opened.open)}
        empty={empty}
      />
      {opened.subject && <FindingPanel finding={opened.subject} tenantId={tenantId} onClose={opened.close} />}
    </>
  );
}

interface FindingTableProps {
  name: string;
  findings: readonly FindingView[];
  tenantId: string;
}

/** A list of findings that is there as a whole. */
export function FindingTable({ name, findings, tenantId }: FindingTableProps) {
  const opened = useDialog<FindingView>();
  return (
    <>
      <DataTable name={name} rows={findings} rowKey={keyOf} columns={columnsOf(false, opened.open)} />
      {opened.subject && <FindingPanel finding={opened.subject} tenantId={tenantId} onClose={opened.close} />}
    </>
  );
}

function keyOf({ state_id, fingerprint, resolved_at }: FindingView): string {
  return `${state_id} ${fingerprint} ${resolved_at ?? ''}`;
}

function columnsOf(hasStates: boolean, open: (finding: FindingView) => void): Column<FindingView>[] {
  return [
    {
      header: 'Severity',
      cell: (finding) => <Severity name={finding.severity_effective} base={finding.severity_base} />,
    },
    {
      header: 'Finding',
      cell: (finding) => (
        <Button
          variant="transparent"
          size="compact-sm"
          p={0}
          styles={{ label: { whiteSpace: 'normal', textAlign: 'start' }, root: { height: 'auto' } }}
          onClick={() => open(finding)}
        >
          {finding.check_id}: {finding.title}
        </Button>
      ),
    },
    {
      header: 'Resource',
      cell: ({ resource_fq_address }) => (
        <bdi style={{ overflowWrap: 'anywhere' }}>{resource_fq_address}</bdi>
      ),
    },
    ...(hasStates
      ? [{ header: 'State', isWide: true, cell: (finding: FindingView) => <bdi>{finding.state_name}</bdi> }]
      : []),
    {
      header: 'Reachable',
      isWide: true,
      cell: ({ is_internet_reachable: isReachable }) =>
        isReachable === undefined ? 'not known' : isReachable ? 'yes' : 'no',
    },
    { header: 'Status', isWide: true, cell: ({ status }) => status },
  ];
}
