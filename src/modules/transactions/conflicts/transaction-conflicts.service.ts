import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { outputKey } from '../../states/index.js';
import type { ConflictingStateView, ConflictView } from '../dto/transaction.dto.js';
import { type Meeting, TransactionNodes } from './transaction-nodes.store.js';
import { isActive, type TransactionState } from '../transaction-states.machine.js';
import { TransactionWrites } from './transaction-writes.service.js';
import { transactionErrors } from '../transactions.errors.js';

interface OtherRow {
  id: string;
  state: TransactionState;
  created_by_name: string | null;
  completed_at: Date | null;
}

/** Ends the database transaction without an effect. */
class RolledBack extends Error {
  constructor(readonly conflicts: ConflictView[]) {
    super('rolled back on purpose');
  }
}

/** Tells what a commit of a transaction would be refused for. */
@Injectable()
export class TransactionConflicts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly nodes: TransactionNodes,
    private readonly writes: TransactionWrites,
  ) {}

  /** None for a transaction that has ended. */
  async list(txId: string): Promise<ConflictView[]> {
    const [tx] = await this.work.query<{
      id: string;
      tenantId: string;
      kind: string;
      state: TransactionState;
    }>('SELECT id, tenant_id AS "tenantId", kind, state FROM transactions WHERE id = $1', [txId]);
    if (!tx) throw transactionErrors.TX_NOT_FOUND();
    if (!isActive(tx.state)) return [];
    try {
      return await this.work.run(async () => {
        // As a commit does it, but without the locks: what the log writes is recorded, compared and forgotten again.
        const isLogged = tx.kind === 'plan' && tx.state !== 'committing';
        if (isLogged) await this.writes.recordWrites(tx, 'delta', await this.nodes.stateIds(tx.id));
        const others = (await this.nodes.conflicts([tx.id])).get(tx.id) ?? [];
        if (others.length === 0 && !isLogged) return [];
        throw new RolledBack(await this.described(tx.id, others));
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.conflicts;
      throw error;
    }
  }

  private async described(txId: string, others: readonly string[]): Promise<ConflictView[]> {
    if (others.length === 0) return [];
    const rows = await this.work.query<OtherRow>(
      `SELECT t.id, t.state, u.name AS created_by_name, t.completed_at FROM transactions t
         LEFT JOIN users u ON u.id = t.created_by WHERE t.id = ANY($1::uuid[]) ORDER BY t.id`,
      [others],
    );
    const meetings = await this.nodes.meetings(txId, others);
    const names = await this.work.query<{ id: string; name: string }>(
      'SELECT id, name FROM states WHERE id = ANY($1::uuid[]) ORDER BY name, id',
      [[...new Set(meetings.map(({ state_id }) => state_id))]],
    );
    return rows.map((row) => ({
      tx_id: row.id,
      state: row.state,
      ...(row.created_by_name === null ? {} : { created_by_name: row.created_by_name }),
      ...(row.completed_at === null ? {} : { completed_at: row.completed_at.toISOString() }),
      states: statesOf(
        meetings.filter(({ tx_id }) => tx_id === row.id),
        names,
      ),
    }));
  }
}

function statesOf(
  meetings: readonly Meeting[],
  names: readonly { id: string; name: string }[],
): ConflictingStateView[] {
  return names.flatMap(({ id, name }) => {
    const here = meetings.filter(({ state_id }) => state_id === id);
    if (here.length === 0) return [];
    const view: ConflictingStateView = { state_id: id, state_name: name, addresses: [], outputs: [] };
    for (const { key, address } of here) {
      if (key === null || address === null || address === '*') continue;
      const output = address.startsWith('output.') ? address.slice('output.'.length) : undefined;
      // A resource may be of a type that is named `output`.
      if (output !== undefined && outputKey(output) === key) view.outputs.push(output);
      else view.addresses.push(address);
    }
    return [view];
  });
}
