import { Injectable } from '@nestjs/common';
import { dirspaceKey, taggedDirectory } from '../../repo-config/index.js';
import { directoryMatcher, parseTagQuery } from '../../tag-query/index.js';
import type { DriftScheduleEntity } from '../entities/run-artifact.entities.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { type DefaultBranch, DefaultBranches } from '../planning/default-branches.js';
import { RunCreation } from '../planning/run-creation.js';
import { Holds } from '../runs/holds.store.js';
import { DriftPreparation } from './drift-preparation.js';
import { isSameSchedule, type ScheduleFields, schedulesOf } from './drift-schedule.rules.js';
import { ScheduleRefresh } from './schedule-refresh.js';

type HeldDirspace = Awaited<ReturnType<Holds['list']>>[number];

/** A configuration that was built longer ago says too little of the branch. */
const MAX_BUILT_MS = 6 * 3_600_000;

type KnownSchedule = Pick<DriftScheduleEntity, 'name'> & ScheduleFields;
type DueSchedule = KnownSchedule & Partial<Pick<DriftScheduleEntity, 'nextAt' | 'askedAt'>>;

export interface PreparedDrift {
  /** as the branch has it now; undefined: removed or switched off */
  schedule: ScheduleFields | undefined;
  /** false: the branch says something else than was known of the schedule, and was stored instead */
  isCurrent: boolean;
  /** answers the ids of the runs */
  createRuns: () => Promise<string[]>;
}

const createNone = async (): Promise<string[]> => [];

/** Runs that look whether the infrastructure still is what the default branch says. */
@Injectable()
export class DriftRuns {
  constructor(
    private readonly branches: DefaultBranches,
    private readonly holds: Holds,
    private readonly creation: RunCreation,
    private readonly preparation: DriftPreparation,
    private readonly refresh: ScheduleRefresh,
  ) {}

  /**
   * Reads the default branch and answers what creates the runs. What the branch says of the schedule counts: a push may
   * be told of late, or never. Throws `DriftAwaits` and `DriftPreparationFailed` where a run has to find something out
   * first, `InvalidRepoConfig` and `UnreadableBranch`.
   */
  async prepare(place: RepositoryPlace, known: DueSchedule, now: Date): Promise<PreparedDrift> {
    // The branch that is read may lack what was held now and is merged meanwhile.
    const before = await this.holds.list(place.repository.id);
    const branch = await this.branches.read(place, builtSince(known, now));
    if (!branch) return { schedule: undefined, isCurrent: true, createRuns: createNone };
    const schedule = schedulesOf(branch.config).get(known.name);
    const isCurrent = schedule !== undefined && isSameSchedule(schedule, known);
    if (!isCurrent) await this.refresh.store(place.repository.id, branch, now);
    if (!schedule) return { schedule, isCurrent, createRuns: createNone };
    if (branch.awaits !== undefined) return this.preparation.request(place, branch, branch.awaits);
    const { name } = known;
    const createRuns = () => this.create(place, { name, ...schedule }, { branch, before, now });
    return { schedule, isCurrent, createRuns };
  }

  /** Nothing is looked at that a pull request holds: it differs from the default branch by what was applied. */
  private async create(
    place: RepositoryPlace,
    schedule: KnownSchedule,
    { branch, before, now }: { branch: DefaultBranch; before: readonly HeldDirspace[]; now: Date },
  ): Promise<string[]> {
    const matches = directoryMatcher(parseTagQuery(schedule.tagQuery));
    const wanted = branch.dirspaces.filter((dirspace) => matches(taggedDirectory(dirspace)));
    const { repository, installation } = place;
    const held = new Set([...before, ...(await this.holds.list(repository.id))].map(dirspaceKey));
    const { sha, olderSince } = branch.look;
    const lacking = olderSince
      ? await this.holds.appliedSince(repository.id, olderSince)
      : schedule.isReconciling
        ? await this.holds.appliedMeanwhile(repository.id, now)
        : [];
    for (const each of lacking) held.add(dirspaceKey(each));
    const free = wanted.filter((dirspace) => !held.has(dirspaceKey(dirspace)));
    // What was merged since is not to be taken back.
    const isApplied = schedule.isReconciling && !olderSince;
    if (free.length === 0) return [];
    return this.creation.create(
      branch.config,
      free,
      {
        runType: isApplied ? 'apply' : 'plan',
        appliesPlan: isApplied,
        trigger: `drift:${schedule.name}:${now.toISOString()}`,
        username: null,
        tagQuery: schedule.tagQuery,
        among: branch.dirspaces,
      },
      {
        installationId: installation.id,
        repositoryId: repository.id,
        owner: repository.owner,
        repo: repository.name,
        kind: 'drift',
        pullNumber: null,
        pullTitle: null,
        branch: branch.name,
        branchRef: sha,
        baseBranch: branch.name,
        baseRef: sha,
        trustedStateGroups: branch.stateGroups,
      },
    );
  }
}

/** A commit counts that was built since the schedule is due. */
function builtSince({ nextAt, askedAt }: DueSchedule, now: Date): Date | undefined {
  const dueAt = askedAt ?? nextAt;
  return dueAt && new Date(Math.max(dueAt.getTime(), now.getTime() - MAX_BUILT_MS));
}
