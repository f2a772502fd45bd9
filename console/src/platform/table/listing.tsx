import { Stack, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCallback } from 'react';
import { Empty, FailureAlert, Waiting } from '../errors';
import { type Column, DataTable } from './data-table';

/** What is used of an infinite query. */
interface Paged<Page> {
  data: { pages: Page[] } | undefined;
  error: unknown;
  failureReason?: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
}

interface ListingProps<Page, Row> {
  name: string;
  query: Paged<Page>;
  rowsOf: (page: Page) => readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row, index: number) => string;
  /** what the list would hold, and how to get there */
  empty: ReactNode;
  total?: number;
  isSelected?: (row: Row) => boolean;
}

/** A list that is read page by page while one scrolls, with words for every state it can be in. */
export function Listing<Page, Row>({ query, rowsOf, empty, ...table }: ListingProps<Page, Row>) {
  const place = useLocation({ select: (location) => location.href });
  const { fetchNextPage, isFetchingNextPage, hasNextPage, error } = query;
  const more = useCallback(() => {
    if (!isFetchingNextPage && !error) fetchNextPage();
  }, [isFetchingNextPage, error, fetchNextPage]);
  if (!query.data && error) return <FailureAlert failure={error} retry={() => void query.refetch()} />;
  if (!query.data) return <Waiting reason={query.failureReason} />;
  const rows = query.data.pages.flatMap((page) => [...rowsOf(page)]);
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <Stack gap="xs">
      {error ? (
        <FailureAlert failure={error} retry={() => void query.refetch()} title="Not up to date" />
      ) : null}
      <DataTable
        {...table}
        rows={rows}
        total={table.total ?? (hasNextPage ? undefined : rows.length)}
        onEnd={hasNextPage ? more : undefined}
        isBusy={isFetchingNextPage}
        scrollKey={`${table.name} ${place}`}
      />
      {isFetchingNextPage && (
        <Text size="sm" c="dimmed" role="status">
          Loading more…
        </Text>
      )}
    </Stack>
  );
}
