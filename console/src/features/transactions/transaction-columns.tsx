import { Text } from '@mantine/core';
import { PageLink } from '../../platform/address';
import type { TransactionView } from '../../platform/client';
import { Time } from '../../platform/formats';
import type { Column } from '../../platform/table';
import { TxStatus } from './statuses';

const MOST_NAMES = 3;

export const TRANSACTION_COLUMNS: Column<TransactionView>[] = [
  {
    header: 'Transaction',
    cell: (tx) => (
      <PageLink to={`/transactions/${tx.id}`} ff="monospace">
        {tx.id.slice(0, 8)}
      </PageLink>
    ),
  },
  { header: 'Status', cell: (tx) => <TxStatus state={tx.state} /> },
  { header: 'States', isWide: true, cell: (tx) => <Names names={tx.state_names} /> },
  { header: 'Plan', isWide: true, cell: (tx) => <PlanSummary tx={tx} /> },
  { header: 'By', isWide: true, cell: (tx) => <bdi>{tx.created_by_name ?? '–'}</bdi> },
  { header: 'Created', cell: (tx) => <Time value={tx.created_at} /> },
];

function Names({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <>–</>;
  const more = names.length - MOST_NAMES;
  return (
    <bdi>
      {names.slice(0, MOST_NAMES).join(', ')}
      {more > 0 && ` and ${more} more`}
    </bdi>
  );
}

/** `+2 ~1 −0`, spoken in words. */
export function PlanSummary({ tx }: { tx: TransactionView }) {
  const { add, change, destroy } = tx.plan_summary;
  if (add + change + destroy === 0) return <>–</>;
  return (
    <Text
      size="sm"
      component="span"
      style={{ whiteSpace: 'nowrap' }}
      title={`${add} to add, ${change} to change, ${destroy} to destroy`}
    >
      +{add} ~{change} −{destroy}
    </Text>
  );
}
