import { useInfiniteQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { BY_PAGE_TOKEN, type LogEntryView, transactionsLogsInfiniteOptions } from '../../platform/client';
import { Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { ValueTree } from '../../platform/values';
import { FOLLOW_MS } from './transaction-frame';
import { isActive } from './statuses';
import { useTransactionOfPage } from './transaction-context';

/** What a client said that a transaction consists of. */
export function LogPage() {
  const { tx } = useTransactionOfPage();
  usePage('Log', tx.id.slice(0, 8));
  const query = useInfiniteQuery({
    ...transactionsLogsInfiniteOptions({ path: { txId: tx.id } }),
    ...BY_PAGE_TOKEN,
    refetchInterval: isActive(tx.state) ? FOLLOW_MS : false,
  });
  return (
    <Listing
      name="Log"
      query={query}
      rowsOf={(page) => page.results}
      rowKey={(entry) => entry.id}
      columns={COLUMNS}
      empty="No log entries. The command-line client logs the configuration and files of what it plans."
    />
  );
}

const COLUMNS: Column<LogEntryView>[] = [
  { header: 'Time', cell: ({ created_at }) => <Time value={created_at} /> },
  { header: 'Action', cell: ({ action, object_type }) => `${action} ${object_type}` },
  {
    header: 'State',
    isWide: true,
    cell: ({ state_id }) =>
      state_id === undefined ? '–' : <PageLink to={`/states/${state_id}`}>{state_id.slice(0, 8)}</PageLink>,
  },
  { header: 'Data', cell: ({ data }) => <ValueTree value={data} /> },
];
