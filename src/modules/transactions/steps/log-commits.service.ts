import { Injectable, Logger } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type AppError, describeFailure } from '../../../platform/errors/index.js';
import { currentRequestId } from '../../../platform/http/index.js';
import type { Principal } from '../../access/index.js';
import { outputKey, StateEditor, stateErrors } from '../../states/index.js';
import { type BatchMember, CommitBatches } from './commit-batches.store.js';
import { LoggedEdits } from '../log/logged-edits.service.js';
import type { LoggedContent } from '../log/logged-content.rules.js';
import { TransactionEntries } from '../log/transaction-entries.queries.js';
import { TransactionNodes } from '../conflicts/transaction-nodes.store.js';
import { type NodeWrite } from '../log/node-write.js';

/** A transaction that waits to be committed, and who asked for it. */
interface Waiting extends Omit<BatchMember, 'taskId'> {
  settle: (outcome: Outcome) => void;
}

/** The task of the commit; why there is none; or that the transaction must be committed in another way. */
type Outcome = { taskId: string } | { refusal: AppError } | 'otherwise';

/** Transactions that become one version. */
const MAX_BATCH_SIZE = 64;

/**
 * Commits transactions that consist of a log of one state and nothing else. Those that ask during another commit become
 * one version: one database transaction checks that they are disjoint, writes and ends them.
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
    private readonly batches: CommitBatches,
  ) {}

  /** The id of the task, which has ended. Undefined: the transaction must be committed in another way. */
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
      const batch = queue.splice(0, MAX_BATCH_SIZE);
      try {
        const outcomes = await this.work.run(() => this.commitBatch(stateId, batch));
        for (const waiting of batch) waiting.settle(outcomes.get(waiting) ?? 'otherwise');
      } catch (error) {
        // Nothing was committed. One by one, a failure is only that of the transaction which causes it.
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

  private async commitBatch(stateId: string, batch: readonly Waiting[]): Promise<Map<Waiting, Outcome>> {
    const outcomes = new Map<Waiting, Outcome>();
    const state = await this.editor.lock(stateId);
    const owner = { stateId, tenantId: state.tenantId };
    const plain = await this.batches.lockPlain(
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
    const members: BatchMember[] = [];
    for (const [txId, waiting] of asked) {
      const keys = (writes.get(txId) ?? []).map(({ key }) => key);
      const others = new Set([...(before.get(txId) ?? []), ...keys.flatMap((key) => holders.get(key) ?? [])]);
      if (others.size > 0) {
        outcomes.set(waiting, { refusal: stateErrors.TX_CONFLICT([...others].sort().join(',')) });
        continue;
      }
      for (const key of keys) holders.set(key, txId);
      const taskId = this.secrets.uuid();
      members.push({ ...waiting, taskId });
      outcomes.set(waiting, { taskId });
    }
    const [leader] = members;
    if (!leader) return outcomes;
    const txIds = members.map(({ txId }) => txId);
    await this.batches.begin(members);
    const said = new Map([...contents].filter(([txId]) => txIds.includes(txId)));
    const { edit, txOf } = await this.edits.merged(said, owner, { clear: false });
    const by = { txId: leader.txId, txOf, userId: leader.caller.userId, runId: this.secrets.uuid() };
    const written = await this.editor.apply(state, edit, by);
    await this.batches.end(members, state.tenantId, {
      states: written ? [{ state_id: stateId, serial: written.serial }] : [],
    });
    return outcomes;
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
