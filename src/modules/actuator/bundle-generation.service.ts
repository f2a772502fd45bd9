import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import { Configurations } from '../configurations/index.js';
import { type Owner, readContent, type StateContent } from '../documents/index.js';
import { type StateSlice, StateSlices } from '../states/index.js';
import { HandlesTask, type TaskRun } from '../tasks/index.js';
import {
  ConfigurationAccesses,
  TransactionEnded,
  TransactionEntries,
  TransactionNodes,
} from '../transactions/index.js';
import { bundleEntries, headText } from './bundle-entries.rules.js';
import { GENERATE_BUNDLE, type GenerationPayload } from './bundle-requests.service.js';
import { BundleStore } from './bundles.store.js';
import { RunnerSteps } from './runner-steps.queries.js';

const TEN_MINUTES_MS = 10 * 60_000;
/** Bytes of a state's resources that are parsed at a time. */
const SLICE_BYTES = 8 * 1024 * 1024;

/** Collects what a runner needs to plan a transaction, and stores it until the transaction ends. */
@Injectable()
export class BundleGeneration {
  constructor(
    private readonly work: UnitOfWork,
    private readonly steps: RunnerSteps,
    private readonly bundles: BundleStore,
    private readonly configurations: Configurations,
    private readonly slices: StateSlices,
    private readonly entries: TransactionEntries,
    private readonly nodes: TransactionNodes,
    private readonly accesses: ConfigurationAccesses,
  ) {}

  @HandlesTask(GENERATE_BUNDLE, { timeLimitMs: TEN_MINUTES_MS })
  async generate({ payload }: TaskRun): Promise<unknown> {
    const { tx_id: txId, step, kind = 'preview' } = payload as unknown as GenerationPayload;
    const isCommit = kind === 'commit';
    return this.work.run(async () => {
      // Reads configuration and state as of one moment. A concurrent change of the transaction makes this start again.
      await this.work.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      // No other transaction may begin to commit before conflicts are checked below.
      if (isCommit) await this.nodes.lockStates(txId);
      const { tenantId, stateId } = await this.steps.require({ tx: txId, task: step, kind });
      // A commit uses the bundle of its plan.
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
      // Since the commit began, the runner reads more than what was logged.
      if (isCommit) await this.nodes.requireNoConflicts(txId);
      const count = await this.bundles.replace(
        { txId, stateId, baseVersion: slice.version, head: headText(slice) },
        bundleEntries(plannable, slice),
      );
      return { entries: count };
    });
  }

  @HandlesEvent(TransactionEnded)
  async forget({ txIds }: TransactionEnded): Promise<void> {
    await this.bundles.remove(txIds);
  }
}

/** The instances that the runner is given, read from a part of the document at a time. */
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
