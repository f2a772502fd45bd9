import type { TransactionState } from './transaction-states.machine.js';

/** Published in the transaction that makes it so: nothing more will come of it, but perhaps another attempt to apply. */
export class TransactionEnded {
  constructor(
    readonly txIds: readonly string[],
    readonly state: TransactionState,
  ) {}
}
