import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Audit } from '../../src/modules/audit/audit.js';
import { DriftBranchesStore } from '../../src/modules/orchestration/drift/drift-branches.store.js';
import { DriftPreparation } from '../../src/modules/orchestration/drift/drift-preparation.js';
import { DriftRuns } from '../../src/modules/orchestration/drift/drift-runs.js';
import { DriftSchedules } from '../../src/modules/orchestration/drift/drift-schedules.job.js';
import { DriftSchedulesStore } from '../../src/modules/orchestration/drift/drift-schedules.store.js';
import { ScheduleRefresh } from '../../src/modules/orchestration/drift/schedule-refresh.js';
import { DriftBranches } from '../../src/modules/orchestration/drift/read-branches.job.js';
import { DriftOverviewQueries } from '../../src/modules/orchestration/overview/drift-overview.queries.js';
import { DriftStarts } from '../../src/modules/orchestration/overview/drift-starts.service.js';
import { AutomaticChanges } from '../../src/modules/orchestration/planning/automatic-changes.js';
import { CommitTrees } from '../../src/modules/orchestration/planning/commit-trees.js';
import { DefaultBranches } from '../../src/modules/orchestration/planning/default-branches.js';
import { RepoConfigs } from '../../src/modules/orchestration/planning/repo-configs.js';
import { RunCreation } from '../../src/modules/orchestration/planning/run-creation.js';
import { RunPlaces } from '../../src/modules/orchestration/planning/run-places.js';
import { CommitArtifacts } from '../../src/modules/orchestration/runs/commit-artifacts.store.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { WaitingDrift } from '../../src/modules/orchestration/runs/waiting-drift.js';
import type { CodeHosts } from '../../src/modules/vcs/index.js';
import type { Config } from '../../src/platform/config/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import type { Clock } from '../../src/platform/time/clock.js';
import type { TestRepository } from './run-records.js';

/** A default branch at a provider that can be slow, broken or cut short. */
export class Branch {
  files: Record<string, string> = {};
  isTruncated = false;
  failure: Error | undefined;
  /** what is waited for before the provider answers */
  answers: Promise<unknown> = Promise.resolve();
  asked = 0;
  /** files of the commits that were read, by their ids */
  readonly commits = new Map<string, Record<string, string>>();
  /** called once a file was read */
  onceRead: () => void = () => undefined;

  get sha(): string {
    return createHash('sha1').update(JSON.stringify(this.files)).digest('hex');
  }
}

/** The code host of the branches, by the provider's id of their repositories. */
const hostsOf = (branches: ReadonlyMap<string, Branch>) =>
  ({
    of: () => ({
      findBranch: async ({ repository }: { repository: { providerId: string } }) => {
        const branch = branches.get(repository.providerId);
        if (!branch) return undefined;
        branch.asked += 1;
        const { sha, failure } = branch;
        branch.commits.set(sha, branch.files);
        await branch.answers;
        if (failure) throw failure;
        return { name: 'main', sha };
      },
      readTree: async ({ repository }: { repository: { providerId: string } }, sha: string) => {
        const branch = branches.get(repository.providerId);
        return {
          isTruncated: branch?.isTruncated === true,
          entries: Object.entries(branch?.commits.get(sha) ?? {}).map(([path, text]) => ({
            path,
            type: 'blob',
            mode: '100644',
            id: createHash('sha1').update(text).digest('hex'),
          })),
        };
      },
      readFile: async (
        { repository }: { repository: { providerId: string } },
        { path }: { path: string },
      ) => {
        const branch = branches.get(repository.providerId);
        const text = branch?.files[path] ?? '';
        branch?.onceRead();
        return Buffer.from(text);
      },
    }),
  }) as unknown as CodeHosts;

export interface DriftWorld {
  source: DataSource;
  branches: ReadonlyMap<string, Branch>;
  tenantId: string;
  now: () => Date;
  enqueue: () => Promise<void>;
}

/** One worker, with connections and caches of its own. */
export function aDriftWorker({ source, branches, tenantId, now, enqueue }: DriftWorld) {
  const hosts = hostsOf(branches);
  const work = new UnitOfWork(source);
  const clock: Clock = { now };
  const config = { get: () => true } as unknown as Config;
  const jobs = { enqueue: () => enqueue() } as never;
  const artifacts = new CommitArtifacts(work, clock);
  const defaults = new DefaultBranches(hosts, new RepoConfigs(hosts, artifacts), new CommitTrees(hosts));
  const runs = new Runs(work, clock, new Secrets(), { publish: async () => undefined } as never, {} as never);
  const creation = new RunCreation(runs, jobs, {} as never);
  const preparation = new DriftPreparation(work, creation, clock);
  const store = new DriftSchedulesStore(work);
  const known = new DriftBranchesStore(work);
  const waiting = new WaitingDrift(work, runs, clock);
  const refresh = new ScheduleRefresh(work, known, store, waiting);
  const automatic = new AutomaticChanges(new Audit(work, clock));
  const holds = new Holds(work, clock);
  const driftRuns = new DriftRuns(defaults, holds, creation, preparation, refresh, automatic);
  const places = new RunPlaces(work);
  const schedules = new DriftSchedules(work, clock, config, store, places, driftRuns, runs, jobs);
  const reading = new DriftBranches(clock, config, defaults, places, known, refresh, jobs);
  const starts = new DriftStarts(
    new DriftOverviewQueries(work),
    places,
    driftRuns,
    { may: () => true } as never,
    { record: async () => undefined } as never,
    clock,
    store,
  );
  return {
    store,
    artifacts,
    places,
    reading,
    waiting,
    start: ({ installation, repoId }: TestRepository) =>
      starts.start({} as never, { id: installation, tenantId } as never, { repoId, name: 'all' }),
    sweep: () => schedules.sweep({}, {} as never),
    readUnread: () => reading.readUnread({}, {} as never),
  };
}
