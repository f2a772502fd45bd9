import type { DataSource } from 'typeorm';
import { ApplyCommand } from '../../src/modules/orchestration/commands/apply.command.js';
import { PlanCommand } from '../../src/modules/orchestration/commands/plan.command.js';
import { UnlockCommand } from '../../src/modules/orchestration/commands/unlock.command.js';
import { DriftRuns } from '../../src/modules/orchestration/drift/drift-runs.js';
import { RunUpkeep } from '../../src/modules/orchestration/dispatching/run-upkeep.job.js';
import { AutomaticChanges } from '../../src/modules/orchestration/planning/automatic-changes.js';
import type { Change } from '../../src/modules/orchestration/planning/changes.js';
import { PullRequestPlans } from '../../src/modules/orchestration/planning/pull-request-plans.js';
import { RunCreation } from '../../src/modules/orchestration/planning/run-creation.js';
import { PullRequestClosing } from '../../src/modules/orchestration/reacting/pull-request-closing.js';
import { RunnerService } from '../../src/modules/orchestration/running/runner.service.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { PlanFiles } from '../../src/modules/orchestration/runs/plan-files.store.js';
import { PlanRetirement } from '../../src/modules/orchestration/runs/plan-retirement.js';
import { RunLeftovers } from '../../src/modules/orchestration/runs/run-leftovers.js';
import { RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { RunQueue } from '../../src/modules/orchestration/runs/run-queue.store.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { WaitingDrift } from '../../src/modules/orchestration/runs/waiting-drift.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import type { Config } from '../../src/platform/config/index.js';
import { parseEncryptionKeys, Sealing } from '../../src/platform/crypto/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { TEST_ENCRYPTION_KEYS } from './run-records.js';

export type Step =
  | { do: 'push'; repo: number; pull: number; dirs: string[] }
  | {
      do: 'plan' | 'apply' | 'force' | 'autoapprove' | 'unlock' | 'close' | 'merge' | 'again';
      repo: number;
      pull: number;
      /** a plan or an apply of no other directories */
      only?: string[];
    }
  | { do: 'reopen'; repo: number; pull: number }
  | { do: 'drift'; repo: number; dirs: string[]; isReconciling: boolean }
  | { do: 'take'; place: 'ci' | 'pool' }
  | { do: 'begin'; n: number }
  | { do: 'finish'; n: number; success: boolean; hasChanges: boolean; isTwice: boolean }
  | { do: 'fail' | 'cancel'; n: number };
/** `together`: at the same moment, by turns over the actors. */
export type Action =
  | Step
  | { do: 'late'; repo: number; pull: number }
  | { do: 'wait'; seconds: number }
  | { do: 'together'; steps: Step[] };

const SETTINGS: Readonly<Record<string, unknown>> = {
  SERVICE_RUNS_PER_INSTALLATION: 4,
  SERVICE_RUN_START_SECONDS: 3600,
  SERVICE_RUN_LOST_SECONDS: 120,
  SERVICE_RUN_MAX_SECONDS: 21_600,
  SERVICE_ORCHESTRATION_ENABLED: true,
};

export interface Pull {
  sha: string;
  dirs: string[];
  state: 'open' | 'closed' | 'merged';
  updatedAt: Date;
}

/** What the parts ask of a model. */
interface RunWorld {
  now(): Date;
  /** the default branch, with these drift schedules */
  branch(place: Change['place'], schedule: object): object;
}

/** The services that a process of the orchestration has, with connections of their own. */
export function runParts(source: DataSource, world: RunWorld) {
  const clock = { now: () => world.now() } as never;
  const work = new UnitOfWork(source);
  const config = { get: (name: string) => SETTINGS[name] } as unknown as Config;
  const jobs = { enqueue: () => Promise.resolve() } as never;
  const runs = new Runs(
    work,
    clock,
    new Secrets(),
    { publish: () => Promise.resolve() } as never,
    new PullRequestsStore(work),
  );
  const transactions = {
    abortReplaced: () => Promise.resolve(),
    abortOfRun: () => Promise.resolve(),
    abortOfPullRequest: () => Promise.resolve(),
    abortRetired: () => Promise.resolve(),
    giveUpCommits: () => Promise.resolve(),
    ownOf: () => Promise.resolve(new Set()),
    closeSessionsOfRun: () => Promise.resolve(),
  } as never;
  const keys = { get: () => parseEncryptionKeys(TEST_ENCRYPTION_KEYS) } as unknown as Config;
  const planFiles = new PlanFiles(work, new Sealing(keys), new Secrets(), { add: () => undefined } as never);
  const creation = new RunCreation(runs, jobs, transactions);
  const progress = new RunProgress(work);
  const holds = new Holds(work, clock);
  const automatic = new AutomaticChanges({ record: () => Promise.resolve() } as never);
  const waitingDrift = new WaitingDrift(work, runs, clock);
  const retirement = new PlanRetirement(work, clock, transactions);
  const plans = new PullRequestPlans(work, holds, runs, creation, progress, retirement);
  const queue = new RunQueue(work, clock, config);
  const requirements = { reasons: () => Promise.resolve([]) } as never;
  return {
    runs,
    /** on a default branch that has the schedule */
    driftOf: (tagQuery: string, reconcile: boolean) => {
      const read = (place: Change['place']) =>
        Promise.resolve(world.branch(place, { schedule: 'daily', tag_query: tagQuery, reconcile }));
      return new DriftRuns({ read } as never, holds, creation, {} as never, {} as never, automatic);
    },
    plans,
    queue,
    planFiles,
    leftovers: new RunLeftovers(work, planFiles, transactions, holds, waitingDrift),
    planCommand: new PlanCommand(plans, creation, runs, work),
    applyCommand: new ApplyCommand(work, plans, progress, requirements, holds, creation, runs, waitingDrift),
    unlockCommand: new UnlockCommand(work, holds, progress, waitingDrift, transactions),
    closing: new PullRequestClosing(work, runs, holds, transactions, waitingDrift, retirement, planFiles),
    runner: new RunnerService(work, clock, config, runs, {} as never, {} as never, {} as never, transactions),
    upkeep: new RunUpkeep(
      work,
      clock,
      config,
      runs,
      queue,
      { lookAfter: () => Promise.resolve() } as never,
      jobs,
    ),
  };
}

/** As the runner of a plan does: a file for each directory, which names its run. */
export async function storePlans(
  { runs, planFiles }: ReturnType<typeof runParts>,
  id: string,
): Promise<void> {
  for (const { position } of await runs.dirspaces(id))
    await planFiles.store(
      id,
      position,
      (async function* () {
        yield Buffer.from(id);
      })(),
    );
}

/** An apply gets exactly the bytes that the plan has that it was asked for. */
export async function expectPlans(
  { runs, planFiles }: ReturnType<typeof runParts>,
  id: string,
): Promise<void> {
  for (const { planFrom, dir } of await runs.dirspaces(id)) {
    if (planFrom === null) continue;
    const planned = (await runs.dirspaces(planFrom)).find((each) => each.dir === dir);
    const file = await planFiles.read(planFrom, planned?.position ?? -1);
    const parts: Buffer[] = [];
    for await (const part of file?.parts ?? []) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe(planFrom);
  }
}
