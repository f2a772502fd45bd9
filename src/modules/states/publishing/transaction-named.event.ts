/**
 * Published before a client of the backend reads or locks a state under a transaction's id, and before it writes one. A
 * handler throws when the transaction takes no writes of the user. An id that nobody has used is free.
 */
export class TransactionNamed {
  constructor(
    readonly txId: string,
    readonly tenantId: string,
    readonly userId: string | undefined,
    /** a write is about to be stored in the database transaction at hand */
    readonly isWrite: boolean,
  ) {}
}
