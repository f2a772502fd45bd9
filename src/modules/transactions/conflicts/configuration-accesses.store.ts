import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { keyOf } from '../../documents/index.js';
import { EVERYTHING } from '../../states/index.js';
import { TransactionEnded } from '../transaction-ended.event.js';

/** Nodes of a configuration by their ids. */
export interface ConfigurationAccess {
  read: readonly string[];
  /** with the hash of what is written, undefined for what goes */
  written: ReadonlyMap<string, string | undefined>;
}

/** Longer than any transaction that could still conflict. */
const KEPT = '2 days';

/**
 * Which parts of a state's configuration transactions read and write. One that planned with an old value, or without a
 * dependent that came meanwhile, would be applied as if it were up to date (docs/adr/0007).
 */
@Injectable()
export class ConfigurationAccesses {
  constructor(private readonly work: UnitOfWork) {}

  /** A runner gets this much, as of the snapshot of the database transaction at hand. Replaces what was noted before. */
  async given(txId: string, stateId: string, access: ConfigurationAccess): Promise<void> {
    await this.work.query('DELETE FROM configuration_accesses WHERE tx_id = $1 AND state_id = $2', [
      txId,
      stateId,
    ]);
    await this.work.query(
      'UPDATE transaction_states SET base_snapshot = pg_current_snapshot() WHERE tx_id = $1 AND state_id = $2',
      [txId, stateId],
    );
    await this.recordAccesses(txId, stateId, access);
  }

  async recordAccesses(txId: string, stateId: string, { read, written }: ConfigurationAccess): Promise<void> {
    const ids = [...new Set([...read, ...written.keys()])];
    if (ids.length === 0) return;
    await this.work.query(
      `INSERT INTO configuration_accesses (tx_id, state_id, key, access, hash)
       SELECT $1, $2, k, a::"char", h FROM unnest($3::uuid[], $4::text[], $5::text[]) AS r (k, a, h)
       ON CONFLICT (tx_id, state_id, key) DO UPDATE SET access = EXCLUDED.access, hash = EXCLUDED.hash WHERE EXCLUDED.access = 'w'`,
      [
        txId,
        stateId,
        ids.map((id) => keyOf(id)),
        ids.map((id) => (written.has(id) ? 'w' : 'r')),
        ids.map((id) => written.get(id) ?? null),
      ],
    );
  }

  /** The database transaction at hand did away with all of a state's configuration, for the sake of a write. */
  async cleared(txId: string, stateId: string): Promise<void> {
    await this.work.query(
      `INSERT INTO configuration_accesses (tx_id, state_id, key, access, applied, applied_at)
       VALUES ($1, $2, $3, 'w', pg_current_xact_id(), now())
       ON CONFLICT (tx_id, state_id, key) DO UPDATE SET applied = EXCLUDED.applied, applied_at = EXCLUDED.applied_at`,
      [txId, stateId, EVERYTHING],
    );
  }

  /** The transactions are applied by the database transaction at hand. */
  async applied(txIds: readonly string[]): Promise<void> {
    await this.work.query(
      'UPDATE configuration_accesses SET applied = pg_current_xact_id(), applied_at = now() WHERE tx_id = ANY($1::uuid[])',
      [txIds],
    );
  }

  /** What was not applied stands in nobody's way; a failed commit may be tried again. */
  @HandlesEvent(TransactionEnded)
  async ended({ txIds, state }: TransactionEnded): Promise<void> {
    if (state !== 'aborted' && state !== 'failed') return;
    await this.work.query('DELETE FROM configuration_accesses WHERE tx_id = ANY($1::uuid[])', [txIds]);
  }

  async forgetOld(): Promise<void> {
    await this.work.query(`DELETE FROM configuration_accesses WHERE applied_at < now() - interval '${KEPT}'`);
  }
}
