import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCallback, useMemo } from 'react';
import { Empty, FailureAlert, Waiting } from '../errors';
import { plural } from '../formats/numbers';
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
export function Listing<Page, Row>(props: ListingProps<Page, Row>) {
  const { query, rowsOf } = props;
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => [...rowsOf(page)]), [pages, rowsOf]);
  const total = props.total ?? (query.hasNextPage ? undefined : rows?.length);
  return (
    <>
      {/* Tells people who do not see the list what a filter has left of it. */}
      <VisuallyHidden role="status">
        {rows && total !== undefined && plural(rows.length === 0 ? 0 : total, 'row')}
      </VisuallyHidden>
      <ListedRows {...props} rows={rows} total={total} />
    </>
  );
}

interface ListedRowsProps<Page, Row> extends ListingProps<Page, Row> {
  rows: readonly Row[] | undefined;
}

function ListedRows<Page, Row>({ query, rowsOf: _, empty, rows, ...table }: ListedRowsProps<Page, Row>) {
  const place = useLocation({ select: (location) => location.href });
  const { fetchNextPage, isFetchingNextPage, hasNextPage, error } = query;
  const more = useCallback(() => {
    if (!isFetchingNextPage && !error) fetchNextPage();
  }, [isFetchingNextPage, error, fetchNextPage]);
  if (!rows && error) return <FailureAlert failure={error} retry={() => void query.refetch()} />;
  if (!rows) return <Waiting reason={query.failureReason} />;
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <Stack gap="xs">
      {error ? (
        <FailureAlert failure={error} retry={() => void query.refetch()} title="Not up to date" />
      ) : null}
      <DataTable
        {...table}
        rows={rows}
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
