import { Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PageLink, usePathId } from '../../platform/address';
import {
  BY_PAGE_TOKEN,
  type FindingSummaryView,
  tenantSecurityListInfiniteOptions,
  tenantSecuritySummaryOptions,
  type TopCheckView,
} from '../../platform/client';
import { Answer, Empty, ErrorBoundary } from '../../platform/errors';
import { formatCount, plural } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { ExposedSection } from './exposed-section';
import { FindingFilters, useFindingFilters } from './finding-filters';
import { FindingListing } from './findings-table';
import { HistorySection } from './history-section';
import { Breakdown } from './severities';
import { WaiversSection } from './waivers-section';

const PAGE_SIZE = 200;

/** Findings of all states of a tenant, with what they have in common and how they came and went. */
export function TenantSecurityPage() {
  const tenantId = usePathId('tenantId');
  const { tenants } = useTenants();
  const filters = useFindingFilters();
  const summary = useQuery(tenantSecuritySummaryOptions({ path: { tenantId } }));
  const findings = useInfiniteQuery({
    ...tenantSecurityListInfiniteOptions({
      path: { tenantId },
      query: { ...filters.query, limit: PAGE_SIZE },
    }),
    ...BY_PAGE_TOKEN,
  });
  return (
    <Page title="Security" object={tenants.find(({ id }) => id === tenantId)?.name}>
      <Answer of={summary}>{(found) => <TenantSummary summary={found} />}</Answer>
      <PageLink to={`/tenants/${tenantId}/security/checks`}>Checks</PageLink>
      <FindingFilters filters={filters} />
      <FindingListing
        query={findings}
        tenantId={tenantId}
        hasStates
        empty={
          Object.keys(filters.query).length > 0
            ? 'No finding matches these filters.'
            : 'No findings. Every write is scanned right after it.'
        }
      />
      <Part title="Top checks">
        <Answer of={summary}>{({ top_checks }) => <TopChecks checks={top_checks} />}</Answer>
      </Part>
      <Part title="Exposed resources">
        <ExposedSection tenantId={tenantId} />
      </Part>
      <Part title="Waivers">
        <WaiversSection tenantId={tenantId} />
      </Part>
      <Part title="History">
        <HistorySection tenantId={tenantId} />
      </Part>
    </Page>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        <ErrorBoundary resetKey={title}>{children}</ErrorBoundary>
      </Stack>
    </section>
  );
}

function TenantSummary({ summary }: { summary: FindingSummaryView }) {
  return (
    <Text>
      {plural(summary.total, 'open finding')}
      {summary.total > 0 && ': '}
      {summary.total > 0 && <Breakdown of={summary.severity_breakdown} />}.{' '}
      {plural(summary.internet_reachable_count, 'finding')} on resources that the internet reaches,{' '}
      {summary.suppressed_count} waived.
    </Text>
  );
}

function TopChecks({ checks }: { checks: readonly TopCheckView[] }) {
  const tenantId = usePathId('tenantId');
  const columns: Column<TopCheckView>[] = [
    { header: 'Findings', isNumber: true, cell: ({ count }) => formatCount(count) },
    {
      header: 'Check',
      cell: ({ check_id }) => (
        <PageLink to={`/tenants/${tenantId}/security`} search={{ check_id }}>
          {check_id}
        </PageLink>
      ),
    },
    { header: 'Title', cell: ({ title }) => title },
  ];
  if (checks.length === 0) return <Empty>No check has open findings.</Empty>;
  return <DataTable name="Top checks" rows={checks} rowKey={({ check_id }) => check_id} columns={columns} />;
}
