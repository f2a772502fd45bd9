import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  BY_PAGE_TOKEN,
  type FindingSummaryView,
  stateSecurityListInfiniteOptions,
  stateSecurityScanMutation,
  stateSecuritySummaryOptions,
} from '../../platform/client';
import { Answer, FailureAlert } from '../../platform/errors';
import { plural, Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { useStateOfPage } from '../states';
import { FindingFilters, useFindingFilters } from './finding-filters';
import { FindingListing } from './findings-table';
import { Breakdown } from './severities';

const PAGE_SIZE = 200;
const REFRESH_MS = 15_000;

/** What the last scan of a state found. */
export function StateSecurityPage() {
  const state = useStateOfPage();
  usePage('Security', state.name);
  const filters = useFindingFilters();
  const summary = useQuery({
    ...stateSecuritySummaryOptions({ path: { stateId: state.id } }),
    refetchInterval: REFRESH_MS,
  });
  const findings = useInfiniteQuery({
    ...stateSecurityListInfiniteOptions({
      path: { stateId: state.id },
      query: { ...filters.query, limit: PAGE_SIZE },
    }),
    ...BY_PAGE_TOKEN,
  });
  return (
    <Stack gap="md">
      <Answer of={summary}>{(found) => <StateSummary summary={found} stateId={state.id} />}</Answer>
      <FindingFilters filters={filters} />
      <FindingListing
        query={findings}
        tenantId={state.tenant_id}
        empty={
          Object.keys(filters.query).length > 0
            ? 'No finding matches these filters.'
            : 'No findings. Every write is scanned right after it.'
        }
      />
    </Stack>
  );
}

function StateSummary({ summary, stateId }: { summary: FindingSummaryView; stateId: string }) {
  const { scan } = summary;
  const queries = useQueryClient();
  const start = useMutation(stateSecurityScanMutation());
  const scanNow = async (): Promise<void> => {
    await start.mutateAsync({ path: { stateId } });
    notifications.show({ message: 'The state is being scanned.' });
    await queries.invalidateQueries();
  };
  return (
    <Group justify="space-between" align="flex-start">
      <div>
        <Text>
          {plural(summary.total, 'open finding')}
          {summary.total > 0 && ': '}
          {summary.total > 0 && <Breakdown of={summary.severity_breakdown} />}
        </Text>
        <Text size="sm" c="dimmed">
          {plural(summary.internet_reachable_count, 'finding')} on resources that the internet reaches,{' '}
          {summary.suppressed_count} waived.{' '}
          {scan === undefined ? (
            'Not scanned yet.'
          ) : (
            <>
              Scanned <Time value={scan.scanned_at} />
              {scan.error_message !== undefined && <>; the scan failed: {scan.error_message}</>}
            </>
          )}
        </Text>
        <FailureAlert failure={start.error} />
      </div>
      <Button
        variant="default"
        loading={start.isPending}
        onClick={() => void scanNow().catch(() => undefined)}
      >
        Scan now
      </Button>
    </Group>
  );
}
