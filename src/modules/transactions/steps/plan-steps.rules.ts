import { isActive } from '../transaction-states.machine.js';
import { transactionErrors } from '../transactions.errors.js';
import type { LockedTransaction } from '../transactions.service.js';

/** Refuses sessions: they have no plan, and their writes are stored as they arrive. */
export function requirePlan({ kind, state }: Pick<LockedTransaction, 'kind' | 'state'>): void {
  if (kind === 'plan') return;
  throw isActive(state) ? transactionErrors.TX_IS_SESSION() : transactionErrors.TX_NOT_ACTIVE();
}

export function requireActivePlan(tx: Pick<LockedTransaction, 'kind' | 'state'>): void {
  requirePlan(tx);
  if (!isActive(tx.state)) throw transactionErrors.TX_NOT_ACTIVE();
}
