import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import type { Principal } from '../access/index.js';
import { Configurations } from '../configurations/index.js';
import { type Owner, readContent, type StateContent } from '../documents/index.js';
import { stateErrors, type StateSlice, StateSlices } from '../states/index.js';
import { HandlesTask, taskErrors, type TaskRun, TaskRunner, Tasks } from '../tasks/index.js';
import {
  type BundleClaims,
  bundleOf,
  ConfigurationAccesses,
  TransactionEnded,
  TransactionEntries,
  transactionErrors,
  TransactionNodes,
} from '../transactions/index.js';
import { actuatorErrors } from './actuator.errors.js';
import { bundleEntries, headText } from './bundle-entries.rules.js';
import { BundleStore } from './bundles.store.js';

/** Of the task: the transaction, and the step of it that asked. */
interface GenerationPayload {
  tx_id: string;
  step: string;
  /** absent in tasks of older releases, which knew previews only */
  kind?: BundleClaims['kind'];
}

interface OwnedStep {
  tenantId: string;
  stateId: string;
}

const KIND = 'generate-bundle';
const TEN_MINUTES_MS = 10 * 60_000;
/** Of a state's resources, so many bytes are taken apart at a time. */
const SLICE_BYTES = 8 * 1024 * 1024;

/** Works out what a runner needs to plan a transaction, and keeps it until the transaction ends. */
@Injectable()
export class BundleGeneration {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly bundles: BundleStore,
    private readonly configurations: Configurations,
    private readonly slices: StateSlices,
    private readonly entries: TransactionEntries,
    private readonly nodes: TransactionNodes,
    private readonly accesses: ConfigurationAccesses,
    private readonly tasks: Tasks,
    private readonly runner: TaskRunner,
  ) {}

  /** `named` may be a noted task of the same user. The step's own goes on until the runner has reported. */
  async begin(caller: Principal, named: string | undefined): Promise<string> {
    const { tx: txId, task: step, kind } = bundleOf(caller);
    const taskId = named?.toLowerCase() === step ? undefined : named;
    const isUrgent = await this.entries.isSmall(txId);
    const id = await this.work.run(async () => {
      const { tenantId } = await this.step(txId, step, kind);
      const payload: GenerationPayload = { tx_id: txId, step, kind };
      const task = { kind: KIND, tenantId, payload: { ...payload } };
      if (taskId === undefined) return this.tasks.start({ ...task, createdBy: caller.userId }, { isUrgent });
      if (!(await this.tasks.begin(taskId, caller.userId, task, { isUrgent })))
        throw taskErrors.TASK_NOT_FOUND();
      return taskId;
    });
    if (isUrgent) await this.runner.now(id);
    return id;
  }

  @HandlesTask(KIND, { timeLimitMs: TEN_MINUTES_MS })
  async generate({ payload }: TaskRun): Promise<unknown> {
    const { tx_id: txId, step, kind = 'preview' } = payload as unknown as GenerationPayload;
    const isCommit = kind === 'commit';
    return this.work.run(async () => {
      // Configuration and state as of one moment; whoever changes the transaction meanwhile makes this start anew.
      await this.work.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      // What is read is checked for conflicts below: nobody may begin to commit meanwhile.
      if (isCommit) await this.nodes.lockStates(txId);
      const { tenantId, stateId } = await this.step(txId, step, kind);
      // What was planned is committed: the bundle of the plan stays as it is.
      if (isCommit && (await this.bundles.findBundle(txId)))
        return { entries: await this.bundles.count(txId) };
      const plannable = await this.configurations.closure(
        stateId,
        await this.entries.configuration(txId, stateId),
      );
      const { instances, outputs } = plannable;
      const slice = await this.slices.read(stateId, instances ? new Set(instances.keys()) : 'all');
      const given = new Map([...slice.outputs].filter(([name]) => outputs?.has(name) ?? true));
      const content = { instances: instancesIn(slice, { tenantId, stateId }), outputs: given };
      const logged = isCommit ? await this.nodes.writesOf(txId, stateId) : [];
      await this.nodes.given(txId, stateId, slice.version, content);
      await this.nodes.addWrites(txId, logged);
      const read = plannable.nodes.map(({ id }) => id);
      await this.accesses.given(txId, stateId, { read, written: plannable.changed });
      if (isCommit) await this.refuseConflicts(txId);
      const count = await this.bundles.replace(
        { txId, id: this.secrets.uuid(), stateId, baseVersion: slice.version, head: headText(slice) },
        bundleEntries(plannable, slice),
      );
      return { entries: count };
    });
  }

  @HandlesEvent(TransactionEnded)
  async forget({ txIds }: TransactionEnded): Promise<void> {
    await this.bundles.remove(txIds);
  }

  /** Since the commit began, what the runner reads is more than what was logged. */
  private async refuseConflicts(txId: string): Promise<void> {
    const others = (await this.nodes.conflicts([txId])).get(txId);
    if (others) throw stateErrors.TX_CONFLICT(others.join(','));
  }

  /** The one state of a transaction whose step waits for this runner; it stays so until the transaction at hand ends. */
  private async step(txId: string, step: string, kind: BundleClaims['kind']): Promise<OwnedStep> {
    const [tx] = await this.work.query<{ tenant_id: string }>(
      `SELECT t.tenant_id FROM transactions t JOIN tasks k ON k.id = t.task_id
       WHERE t.id = $1 AND t.task_id = $2 AND t.state = $3
         AND ($3 = 'previewing' OR (k.kind = 'noted' AND k.state = 'pending')) FOR SHARE OF t`,
      [txId, step, kind === 'preview' ? 'previewing' : 'committing'],
    );
    if (!tx) throw transactionErrors.TX_NOT_ACTIVE('no step of the transaction waits for this runner');
    const states = await this.work.query<{ state_id: string }>(
      'SELECT state_id FROM transaction_states WHERE tx_id = $1 LIMIT 2',
      [txId],
    );
    const [state, other] = states;
    if (!state || other) throw actuatorErrors.BUNDLE_NEEDS_ONE_STATE();
    return { tenantId: tx.tenant_id, stateId: state.state_id };
  }
}

/** What the runner is given, a part of the document at a time. */
function instancesIn({ resources }: StateSlice, owner: Owner): StateContent['instances'] {
  const found = new Map<string, StateContent['instances'] extends ReadonlyMap<string, infer T> ? T : never>();
  for (let at = 0; at < resources.length;) {
    const part: string[] = [];
    for (let bytes = 0; at < resources.length && bytes < SLICE_BYTES; at++) {
      const text = resources[at]?.text ?? '';
      part.push(text);
      bytes += text.length;
    }
    const document = Buffer.from(`{"version":4,"resources":[${part.join(',')}]}`);
    for (const [key, instance] of readContent(document, owner).instances)
      found.set(key, { ...instance, text: '' });
  }
  return found;
}
