import { Injectable } from '@nestjs/common';
import { dirspaceKey } from '../../repo-config/index.js';
import { CodeHosts, type HostPlace } from '../../vcs/index.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import type { Change } from '../planning/changes.js';
import { PullRequestPlans } from '../planning/pull-request-plans.js';
import { RunCreation } from '../planning/run-creation.js';
import { Gates } from '../runs/gates.store.js';
import { PlanFiles } from '../runs/plan-files.store.js';
import { isDone } from '../runs/run-progress.queries.js';
import { RunTransactions } from '../runs/run-transactions.js';
import { Runs } from '../runs/runs.store.js';

/** What follows from a run that ended: the next layer, the merge, the end of its CI run. */
@Injectable()
export class AfterRuns {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly plans: PullRequestPlans,
    private readonly runs: Runs,
    private readonly planFiles: PlanFiles,
    private readonly creation: RunCreation,
    private readonly transactions: RunTransactions,
    private readonly gates: Gates,
  ) {}

  async waiting(change: Change): Promise<string[]> {
    return this.plans.waiting(change, await this.plans.progressOf(change));
  }

  /** An apply's CI run goes on: what it does to infrastructure is not cut off. */
  async cancelCiRun(place: HostPlace, run: WorkManifestEntity): Promise<void> {
    if (run.state !== 'aborted' || run.runType === 'apply' || run.place !== 'ci' || run.runId === null)
      return;
    if (run.errorId === 'JOB_FAILED') return;
    await this.hosts.of(place.installation.provider).cancelRun(place, run.runId);
  }

  /** Nobody applies the plan of a run that was given up. */
  async endTransactions(run: WorkManifestEntity): Promise<void> {
    if (run.state === 'aborted') await this.transactions.abortOfRun(run.id);
  }

  async continueWith(change: Change, run: WorkManifestEntity): Promise<void> {
    if (run.runType === 'apply')
      for (const id of await this.appliedPlans(run.id)) await this.planFiles.remove(id);
    if (run.state !== 'completed' || change.refusal !== undefined) return;
    await this.plans.plan(change, {
      trigger: `auto:${run.branchRef}`,
      username: change.pullRequest.username,
    });
    await this.requestReviewers(change);
    if (run.runType !== 'apply') return;
    await this.planConflicts(change, run);
    await this.mergeWhenApplied(change);
  }

  /** Whom gates of the commit ask for. Asking twice is no error. */
  private async requestReviewers({ place, pullRequest }: Change): Promise<void> {
    const { number: pullNumber, sha } = pullRequest;
    const gates = await this.gates.list({ repositoryId: place.repository.id, pullNumber, sha });
    const names = new Set(gates.flatMap(({ addReviewers }) => addReviewers));
    // A provider refuses the author as a reviewer.
    if (pullRequest.username !== null) names.delete(pullRequest.username);
    if (names.size === 0) return;
    await this.hosts.of(place.installation.provider).requestReviewers(place, pullNumber, [...names]);
  }

  /** What somebody else changed first is planned again at once. */
  private async planConflicts(change: Change, run: WorkManifestEntity): Promise<void> {
    const dirspaces = await this.runs.dirspaces(run.id);
    const keys = new Set(
      dirspaces.filter(({ conflictsWith }) => (conflictsWith ?? []).length > 0).map(dirspaceKey),
    );
    const conflicted = change.changed.filter((dirspace) => keys.has(dirspaceKey(dirspace)));
    if (conflicted.length === 0) return;
    const { username } = run;
    await this.creation.forPullRequest(change, conflicted, {
      runType: 'plan',
      trigger: `conflict:${run.id}`,
      username,
    });
  }

  private async mergeWhenApplied(change: Change): Promise<void> {
    const { config, place, pullRequest, changed } = change;
    if (!config.automerge.enabled || pullRequest.state !== 'open') return;
    const progress = await this.plans.progressOf(change);
    const isComplete = changed.every((dirspace) => {
      const of = progress.get(dirspaceKey(dirspace));
      return of !== undefined && isDone(of);
    });
    if (!isComplete) return;
    await this.hosts.of(place.installation.provider).mergePullRequest(place, pullRequest.number, {
      sha: pullRequest.sha,
      deletesBranch: config.automerge.delete_branch,
    });
  }

  private async appliedPlans(runId: string): Promise<string[]> {
    const dirspaces = await this.runs.dirspaces(runId);
    return [...new Set(dirspaces.flatMap(({ planFrom }) => (planFrom === null ? [] : [planFrom])))];
  }
}
