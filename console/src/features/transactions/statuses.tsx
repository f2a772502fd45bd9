import { Badge } from '@mantine/core';
import type { TransactionView } from '../../platform/client';

export type TxState = TransactionView['state'];

export const TX_STATES = [
  'open',
  'previewing',
  'previewed',
  'committing',
  'committed',
  'failed',
  'failed-committed',
  'aborted',
] as const satisfies readonly TxState[];

const ACTIVE: ReadonlySet<TxState> = new Set(['open', 'previewing', 'previewed', 'committing']);

/** Whether a transaction can still change. */
export function isActive(state: TxState): boolean {
  return ACTIVE.has(state);
}

const COLORS: Readonly<Record<TxState, string>> = {
  open: 'blue',
  previewing: 'blue',
  previewed: 'cyan',
  committing: 'blue',
  committed: 'green',
  failed: 'red',
  'failed-committed': 'red',
  aborted: 'gray',
};

export function TxStatus({ state }: { state: TxState }) {
  return (
    <Badge color={COLORS[state]} variant="light" c="var(--mantine-color-text)" style={{ flexShrink: 0 }}>
      {state}
    </Badge>
  );
}
