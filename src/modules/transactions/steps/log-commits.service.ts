import { Injectable, Logger } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type AppError, describeFailure } from '../../../platform/errors/index.js';
import { Events } from '../../../platform/events/index.js';
import { currentRequestId } from '../../../platform/http/index.js';
import type { Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { outputKey, StateEditor, stateErrors } from '../../states/index.js';
import { Tasks } from '../../tasks/index.js';
import { LoggedEdits } from '../log/logged-edits.service.js';
import type { LoggedContent } from '../log/logged-content.rules.js';
import { TransactionEnded } from '../transaction-ended.event.js';
import { TransactionEntries } from '../log/transaction-entries.queries.js';
import { TransactionNodes } from '../conflicts/transaction-nodes.store.js';
import { type NodeWrite } from '../log/node-write.js';

/** A transaction that waits to be committed, and who asked for it. */
interface Waiting {
  txId: string;
  caller: Principal;
  requestId: string | undefined;
  settle: (outcome: Outcome) => void;
}

/** The task that stands for the commit; why there is none; or that it is to be committed in another way. */
type Outcome = { taskId: string } | { refusal: AppError } | 'otherwise';

interface Applied extends Waiting {
  taskId: string;
}

/** Transactions that become one version together. */
const MOST_AT_ONCE = 64;
/** Of an older one, more has happened since than is quickly looked through. */
const RECENT = '10 minutes';

/**
 * Commits what consists of a log of one state and nothing else: those that ask while another commit goes on become one
 * version, found to be disjoint, checked, written and ended by one database transaction.
 */
@Injectable()
export class LogCommits {
  private readonly logger = new Logger('LogCommits');
  private readonly queues = new Map<string, Waiting[]>();

  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly entries: TransactionEntries,
    private readonly nodes: TransactionNodes,
    private readonly edits: LoggedEdits,
    private readonly editor: StateEditor,
    private readonly tasks: Tasks,
    private readonly audit: Audit,
    private readonly events: Events,
  ) {}

  /** The id of the task, which has ended; undefined: the transaction is to be committed in another way. */
  async commit(caller: Principal, txId: string, stateId: string): Promise<string | undefined> {
    const outcome = await new Promise<Outcome>((settle) => {
      const waiting = { txId, caller, requestId: currentRequestId(), settle };
      const queue = this.queues.get(stateId);
      if (queue) queue.push(waiting);
      else {
        this.queues.set(stateId, [waiting]);
        void this.drain(stateId);
      }
    });
    if (outcome === 'otherwise') return undefined;
    if ('refusal' in outcome) throw outcome.refusal;
    return outcome.taskId;
  }

  private async drain(stateId: string): Promise<void> {
    const queue = this.queues.get(stateId) ?? [];
    while (queue.length > 0) {
      const batch = queue.splice(0, MOST_AT_ONCE);
      try {
        const outcomes = await this.work.run(() => this.together(stateId, batch));
        for (const waiting of batch) waiting.settle(outcomes.get(waiting) ?? 'otherwise');
      } catch (error) {
        // Nothing was committed. One by one, what is wrong with one of them is its own.
        this.logger.debug({
          msg: 'transactions are committed one by one',
          stateId,
          ...describeFailure(error),
        });
        for (const { settle } of batch) settle('otherwise');
      }
    }
    this.queues.delete(stateId);
  }

  private async together(stateId: string, batch: readonly Waiting[]): Promise<Map<Waiting, Outcome>> {
    const outcomes = new Map<Waiting, Outcome>();
    const state = await this.editor.lock(stateId);
    const owner = { stateId, tenantId: state.tenantId };
    const plain = await this.lockPlain(
      batch.map(({ txId }) => txId),
      stateId,
    );
    const contents = await this.entries.contents([...plain], owner);
    const asked = new Map<string, Waiting>();
    for (const waiting of batch) {
      const content = contents.get(waiting.txId);
      if (content && content.removedResources.size === 0 && !asked.has(waiting.txId))
        asked.set(waiting.txId, waiting);
    }
    const writes = new Map(
      [...asked.keys()].map((txId) => [txId, writesOf(contents.get(txId), stateId)] as const),
    );
    const before = await this.nodes.conflictsOfWrites(stateId, writes);
    const holders = new Map<string, string>();
    const together: Applied[] = [];
    for (const [txId, waiting] of asked) {
      const keys = (writes.get(txId) ?? []).map(({ key }) => key);
      const others = new Set([...(before.get(txId) ?? []), ...keys.flatMap((key) => holders.get(key) ?? [])]);
      if (others.size > 0) {
        outcomes.set(waiting, { refusal: stateErrors.TX_CONFLICT([...others].sort().join(',')) });
        continue;
      }
      for (const key of keys) holders.set(key, txId);
      together.push({ ...waiting, taskId: this.secrets.uuid() });
      outcomes.set(waiting, { taskId: together.at(-1)?.taskId ?? '' });
    }
    const [leader] = together;
    if (!leader) return outcomes;
    const txIds = together.map(({ txId }) => txId);
    await this.begin(together);
    const said = new Map([...contents].filter(([txId]) => txIds.includes(txId)));
    const { edit, txOf } = await this.edits.merged(said, owner, { clear: false });
    const by = { txId: leader.txId, txOf, userId: leader.caller.userId, runId: this.secrets.uuid() };
    const written = await this.editor.apply(state, edit, by);
    await this.end(together, state.tenantId, {
      states: written ? [{ state_id: stateId, serial: written.serial }] : [],
    });
    return outcomes;
  }

  /** Those that say something of this one state only, and were neither planned nor are about to be; locked. */
  private async lockPlain(txIds: readonly string[], stateId: string): Promise<Set<string>> {
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

  private async begin(together: readonly Applied[]): Promise<void> {
    await this.work.query(
      `UPDATE transactions t SET state = 'committing', task_id = r.task FROM unnest($1::uuid[], $2::uuid[]) AS r (tx, task)
       WHERE t.id = r.tx`,
      [together.map(({ txId }) => txId), together.map(({ taskId }) => taskId)],
    );
  }

  private async end(together: readonly Applied[], tenantId: string, result: unknown): Promise<void> {
    await this.work.query(
      `UPDATE transactions t SET state = 'committed', completed_at = now(), completed_by = r.who
       FROM unnest($1::uuid[], $2::uuid[]) AS r (tx, who) WHERE t.id = r.tx`,
      [together.map(({ txId }) => txId), together.map(({ caller }) => caller.userId)],
    );
    await this.tasks.recordCompleted(
      together.map(({ taskId, txId, caller }) => ({
        id: taskId,
        kind: 'apply-transaction',
        tenantId,
        createdBy: caller.userId,
        payload: { tx_id: txId, replace: 'delta' },
      })),
      result,
    );
    await this.audit.recordAll(
      together.map(({ caller, txId, requestId }) => ({
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
        together.map(({ txId }) => txId),
        'committed',
      ),
    );
  }
}

function writesOf(content: LoggedContent | undefined, stateId: string): NodeWrite[] {
  if (!content) return [];
  return [
    ...content.instances.map(({ key, address }) => ({ stateId, key, address })),
    ...[...content.outputs.keys()].map((name) => ({
      stateId,
      key: outputKey(name),
      address: `output.${name}`,
    })),
  ];
}
