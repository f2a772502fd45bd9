import type { SubmissionConflictView } from '../../platform/client';

export interface ConflictingTransaction {
  txId: string;
  /** addresses, and `output.<name>` for outputs */
  names: string[];
  /** the transaction replaced the whole document */
  isEverything: boolean;
}

/** The overlaps of a submission by the transaction that was in its way, in the order that they came. */
export function conflictsByTransaction(
  conflicts: readonly SubmissionConflictView[],
): ConflictingTransaction[] {
  const found = new Map<string, ConflictingTransaction>();
  for (const { tx_id, address, output } of conflicts) {
    const one = found.get(tx_id) ?? { txId: tx_id, names: [], isEverything: false };
    found.set(tx_id, one);
    if (address !== undefined) one.names.push(address);
    else if (output !== undefined) one.names.push(`output.${output}`);
    else one.isEverything = true;
  }
  return [...found.values()];
}
