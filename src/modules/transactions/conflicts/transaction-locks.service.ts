import { Injectable } from '@nestjs/common';
import { type LockedTransaction, TransactionsService } from '../transactions.service.js';
import { TransactionNodes } from './transaction-nodes.store.js';

/** Locks a transaction together with its states, in the one order that avoids deadlocks. */
@Injectable()
export class TransactionLocks {
  constructor(
    private readonly nodes: TransactionNodes,
    private readonly transactions: TransactionsService,
  ) {}

  /** States are locked before the transaction, and those that it gained meanwhile after it. */
  async lockWithStates(txId: string): Promise<{ tx: LockedTransaction; stateIds: string[] }> {
    await this.nodes.lockStates(txId);
    const tx = await this.transactions.lock(txId);
    return { tx, stateIds: await this.nodes.lockStates(txId) };
  }
}
