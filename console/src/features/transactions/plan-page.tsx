import { Badge, Group, Select, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { first, PageLink, useView } from '../../platform/address';
import {
  BY_PAGE_TOKEN,
  mqlQueryOptions,
  type PlanOperationView,
  transactionsPlanOperationsInfiniteOptions,
} from '../../platform/client';
import { Answer } from '../../platform/errors';
import { plural } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, FilterField, Listing } from '../../platform/table';
import { FOLLOW_MS } from './transaction-frame';
import { isActive } from './statuses';
import { useTransactionOfPage } from './transaction-context';

const OPERATIONS = ['create', 'update', 'replace', 'destroy'] as const;
const COLORS = { create: 'green', update: 'yellow', replace: 'orange', destroy: 'red' } as const;

/** What a transaction plans to change, instance by instance, and what it has written. */
export function PlanPage() {
  const { tx } = useTransactionOfPage();
  usePage('Plan', tx.id.slice(0, 8));
  const [view, setView] = useView<{ operation?: string; module?: string }>();
  const operation = OPERATIONS.find((known) => known === first(view.operation));
  const module = first(view.module) ?? '';
  const filter = useCallback((name: string) => setView({ module: name }), [setView]);
  const query = useInfiniteQuery({
    ...transactionsPlanOperationsInfiniteOptions({ path: { txId: tx.id }, query: { limit: 1_000 } }),
    ...BY_PAGE_TOKEN,
    refetchInterval: isActive(tx.state) ? FOLLOW_MS : false,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = query;
  // The filters are applied here: every operation has to be there.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  const matches = (one: PlanOperationView): boolean =>
    (operation === undefined || one.operation === operation) &&
    (module === '' || one.address.startsWith(module.startsWith('module.') ? module : `module.${module}`));
  return (
    <>
      <WrittenVersions txId={tx.id} />
      <Group align="flex-end" gap="sm">
        <Select
          label="Operation"
          placeholder="All"
          clearable
          data={[...OPERATIONS]}
          value={operation ?? null}
          onChange={(value) => setView({ operation: value ?? undefined })}
          maw="11rem"
        />
        <FilterField
          label="Module"
          aria-label="Module"
          placeholder="module.app"
          value={module}
          onFilter={filter}
          maw="16rem"
        />
      </Group>
      <Listing
        name="Plan operations"
        query={{ ...query, hasNextPage: false }}
        rowsOf={(page) => page.results.filter(matches)}
        rowKey={(one, index) => `${one.address} ${index}`}
        columns={COLUMNS}
        empty={
          operation === undefined && module === ''
            ? 'No planned operations. A plan that changes nothing, and a write that was not planned through the service, have none.'
            : 'No operation matches these filters.'
        }
      />
    </>
  );
}

const COLUMNS: Column<PlanOperationView>[] = [
  {
    header: 'Operation',
    cell: ({ operation }) => (
      <Badge color={COLORS[operation]} variant="light" c="var(--mantine-color-text)">
        {operation}
      </Badge>
    ),
  },
  { header: 'Instance', cell: ({ address }) => <bdi>{address}</bdi> },
];

function WrittenVersions({ txId }: { txId: string }) {
  const q = `SELECT v.state_id, s.name, v.version FROM state_versions v JOIN states s ON s.id = v.state_id WHERE v.tx_id = '${txId.replaceAll("'", "''")}' ORDER BY s.name, v.version LIMIT 100`;
  const written = useQuery(mqlQueryOptions({ query: { q } }));
  return (
    <Answer of={written}>
      {(rows) =>
        rows.length === 0 ? null : (
          <Text size="sm">
            Wrote {plural(rows.length, 'version')}:{' '}
            {rows.map((row, index) => (
              <span key={`${String(row['state_id'])} ${String(row['version'])}`}>
                {index > 0 && ', '}
                <PageLink to={`/states/${String(row['state_id'])}/versions`}>
                  <bdi>{String(row['name'])}</bdi> version {String(row['version'])}
                </PageLink>
              </span>
            ))}
          </Text>
        )
      }
    </Answer>
  );
}
