import { Injectable } from '@nestjs/common';
import { type Dirspace, dirspaceKey, readyDirspaces } from '../../repo-config/index.js';
import { isDone, type Progress, RunProgress } from '../runs/run-progress.queries.js';
import { Runs } from '../runs/runs.store.js';
import { runError } from '../runs/work-manifest.machine.js';
import type { Change } from './changes.js';
import { RunCreation } from './run-creation.js';

/** Which dirspaces of a pull request are planned, and when. */
@Injectable()
export class PullRequestPlans {
  constructor(
    private readonly runs: Runs,
    private readonly creation: RunCreation,
    private readonly progress: RunProgress,
  ) {}

  /** Plans the dirspaces whose dependencies are done and that have no plan of this commit; once for each commit. */
  async plan(change: Change, request: { trigger: string; username: string | null }): Promise<string[]> {
    const { place, pullRequest } = change;
    await this.runs.endPlans(
      place.repository.id,
      pullRequest.number,
      runError('SUPERSEDED'),
      pullRequest.sha,
    );
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
    return this.progress.of(place.repository.id, pullRequest.number, pullRequest.sha);
  }
}
