import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { BY_PAGE_TOKEN, transactionsOutputInfiniteOptions } from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { usePage } from '../../platform/page';
import { outputText } from './output-text';
import { PrintedOutput } from './printed-output';
import { FOLLOW_MS } from './transaction-frame';
import { isActive } from './statuses';
import { useTransactionOfPage } from './transaction-context';

/** What a run printed, with its colors as text. */
export function OutputPage() {
  const { tx } = useTransactionOfPage();
  usePage('Output', tx.id.slice(0, 8));
  const query = useInfiniteQuery({
    ...transactionsOutputInfiniteOptions({ path: { txId: tx.id }, query: { limit: 1_000 } }),
    ...BY_PAGE_TOKEN,
    refetchInterval: isActive(tx.state) ? FOLLOW_MS : false,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  return (
    <Answer of={query}>
      {({ pages }) => {
        const text = outputText(pages.flatMap((page) => page.results));
        return text === '' ? (
          <Empty>No output. It appears when a run of this transaction prints something.</Empty>
        ) : (
          <PrintedOutput
            text={text}
            label="Output"
            note={pages.some(({ payload }) => payload === 'run_failure') ? 'the run failed' : undefined}
          />
        );
      }}
    </Answer>
  );
}
