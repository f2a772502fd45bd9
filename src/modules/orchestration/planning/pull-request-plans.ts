import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type Dirspace, dirspaceKey, readyDirspaces } from '../../repo-config/index.js';
import type { HostPullRequest } from '../../vcs/index.js';
import { type HeldPlace, Holds } from '../runs/holds.store.js';
import { PlanRetirement } from '../runs/plan-retirement.js';
import { isDone, type Progress, RunProgress } from '../runs/run-progress.queries.js';
import { Runs } from '../runs/runs.store.js';
import { runError } from '../runs/work-manifest.machine.js';
import type { Change } from './changes.js';
import { isOutdated } from './outdated-change.rules.js';
import { RunCreation } from './run-creation.js';

export interface PlanRequest {
  /** what asks for it; the same one creates nothing twice */
  trigger: string;
  username: string | null;
}

/** Of plans that nobody asked for: once for each pull request, commit and branch that it is to be merged into. */
export function autoplanTrigger({
  number,
  sha,
  baseBranch,
}: Pick<HostPullRequest, 'number' | 'sha' | 'baseBranch'>): string {
  return `auto:${number}:${sha}:${baseBranch}`;
}

/** Which dirspaces of a pull request are planned, and when. */
@Injectable()
export class PullRequestPlans {
  constructor(
    private readonly work: UnitOfWork,
    private readonly holds: Holds,
    private readonly runs: Runs,
    private readonly creation: RunCreation,
    private readonly progress: RunProgress,
    private readonly retirement: PlanRetirement,
  ) {}

  /**
   * Plans the dirspaces whose dependencies are done and that have no plan of this commit; once for each commit. An
   * outdated change plans nothing and ends nothing: the runs of the newer commit are not its own.
   */
  plan(change: Change, request: PlanRequest): Promise<string[]> {
    return this.work.run(async () => ((await this.lockCurrent(change)) ? this.create(change, request) : []));
  }

  /** The pull request is open again since `at`: earlier runs count for nothing, also where it cannot be read. */
  async reopened(of: HeldPlace, at: Date): Promise<void> {
    await this.work.run(async () => {
      await this.holds.lockPullRequest(of);
      await this.retirement.retireEarlier(of, at);
    });
  }

  /** Plans dirspaces whatever was planned before; nothing for an outdated change. */
  planAgain(change: Change, dirspaces: readonly Dirspace[], request: PlanRequest): Promise<string[]> {
    return this.work.run(async () =>
      (await this.lockCurrent(change))
        ? this.creation.forPullRequest(change, dirspaces, { ...request, runType: 'plan' })
        : [],
    );
  }

  /** Locks the link and the pull request to the end of the transaction; false when the change is outdated. */
  async lockCurrent({ place, pullRequest }: Change): Promise<boolean> {
    await this.runs.lockLink(place.installation.id);
    const held = { repositoryId: place.repository.id, pullNumber: pullRequest.number };
    return !isOutdated(pullRequest, await this.holds.lockPullRequest(held));
  }

  private async create(change: Change, request: PlanRequest): Promise<string[]> {
    const { place, pullRequest } = change;
    const of = { repositoryId: place.repository.id, pullNumber: pullRequest.number };
    await this.runs.endPlans(of, runError('SUPERSEDED'), { except: pullRequest, isAskedAgain: true });
    await this.retirement.retireOthers(of, pullRequest);
    if (change.awaits !== undefined) {
      const id = await this.creation.forArtifact(change, change.awaits, request);
      return id === undefined ? [] : [id];
    }
    const progress = await this.progressOf(change);
    const wanted = this.ready(change, progress).filter(
      (dirspace) =>
        dirspace.autoplan &&
        (dirspace.autoplanDraft || !pullRequest.isDraft) &&
        progress.get(dirspaceKey(dirspace)) === undefined,
    );
    if (wanted.length === 0) return [];
    return this.creation.forPullRequest(change, wanted, { ...request, runType: 'plan' });
  }

  /** What may be planned or applied now: nothing that it depends on is left to be applied. */
  ready({ changed, dependencies }: Change, progress: Progress): Dirspace[] {
    return readyDirspaces(changed, dependencies, (key) => {
      const of = progress.get(key);
      return of !== undefined && isDone(of);
    });
  }

  /** Directories that wait for others, for people. */
  waiting(change: Change, progress: Progress): string[] {
    const ready = new Set(this.ready(change, progress).map(dirspaceKey));
    return change.changed.filter((dirspace) => !ready.has(dirspaceKey(dirspace))).map(({ dir }) => dir);
  }

  progressOf({ place, pullRequest }: Change): Promise<Progress> {
    const { number: pullNumber, sha, baseBranch } = pullRequest;
    return this.progress.of({ repositoryId: place.repository.id, pullNumber, sha, baseBranch });
  }
}
