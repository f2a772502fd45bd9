import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Events } from '../../../platform/events/index.js';
import type { Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { Tasks } from '../../tasks/index.js';
import { TransactionEnded } from '../transaction-ended.event.js';

/** One of the transactions that become one version. */
export interface BatchMember {
  txId: string;
  caller: Principal;
  requestId: string | undefined;
  taskId: string;
}

/** The conflict check of an older transaction would have to look through too many changes. */
const RECENT = '10 minutes';

/** The rows of transactions that are committed in one batch: locks them, begins and ends them together. */
@Injectable()
export class CommitBatches {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: Tasks,
    private readonly audit: Audit,
    private readonly events: Events,
  ) {}

  /** Locks those of the transactions that have logged changes of this state only, and have no plan. */
  async lockPlain(txIds: readonly string[], stateId: string): Promise<Set<string>> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT t.id FROM transactions t WHERE t.id = ANY($1::uuid[]) AND t.kind = 'plan' AND t.state = 'open'
         AND t.created_at > now() - interval '${RECENT}'
         AND EXISTS (SELECT FROM transaction_states ts WHERE ts.tx_id = t.id AND ts.state_id = $2)
         AND NOT EXISTS (SELECT FROM transaction_states ts WHERE ts.tx_id = t.id AND ts.state_id <> $2)
         AND NOT EXISTS (SELECT FROM transaction_logs l WHERE l.tx_id = t.id AND NOT starts_with(l.action, 'state_'))
         AND NOT EXISTS (SELECT FROM transaction_revisions r WHERE r.tx_id = t.id)
         AND NOT EXISTS (SELECT FROM transaction_nodes n WHERE n.tx_id = t.id)
       ORDER BY t.id FOR UPDATE OF t`,
      [txIds, stateId],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async begin(members: readonly BatchMember[]): Promise<void> {
    await this.work.query(
      `UPDATE transactions t SET state = 'committing', task_id = r.task FROM unnest($1::uuid[], $2::uuid[]) AS r (tx, task)
       WHERE t.id = r.tx`,
      [members.map(({ txId }) => txId), members.map(({ taskId }) => taskId)],
    );
  }

  async end(members: readonly BatchMember[], tenantId: string, result: unknown): Promise<void> {
    await this.work.query(
      `UPDATE transactions t SET state = 'committed', completed_at = now(), completed_by = r.who
       FROM unnest($1::uuid[], $2::uuid[]) AS r (tx, who) WHERE t.id = r.tx`,
      [members.map(({ txId }) => txId), members.map(({ caller }) => caller.userId)],
    );
    await this.tasks.recordCompleted(
      members.map(({ taskId, txId, caller }) => ({
        id: taskId,
        kind: 'apply-transaction',
        tenantId,
        createdBy: caller.userId,
        payload: { tx_id: txId, replace: 'delta' },
      })),
      result,
    );
    await this.audit.recordAll(
      members.map(({ caller, txId, requestId }) => ({
        actor: caller,
        action: 'tx.apply',
        objectType: 'transaction',
        objectId: txId,
        tenantId,
        data: { replace: 'delta' },
        requestId,
      })),
    );
    await this.events.publish(
      new TransactionEnded(
        members.map(({ txId }) => txId),
        'committed',
      ),
    );
  }
}
