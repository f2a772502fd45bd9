import { Injectable } from '@nestjs/common';
import { dirspaceKey } from '../../repo-config/index.js';
import { CodeHosts, type HostPlace } from '../../vcs/index.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import type { Change, RepositoryPlace } from '../planning/changes.js';
import { autoplanTrigger, PullRequestPlans } from '../planning/pull-request-plans.js';
import { AfterPlans } from './after-plans.js';
import { Automerge } from './automerge.js';
import { ArtifactRuns } from '../reporting/artifact-runs.js';
import { DriftIssues } from '../reporting/drift-issues.js';
import { isRunIdTold } from '../runs/ci-run-ids.js';
import { RunLeftovers } from '../runs/run-leftovers.js';
import { Runs } from '../runs/runs.store.js';

/** What follows from a run that ended: the next layer, the merge, the end of its CI run. */
@Injectable()
export class AfterRuns {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly plans: PullRequestPlans,
    private readonly runs: Runs,
    private readonly leftovers: RunLeftovers,
    private readonly afterPlans: AfterPlans,
    private readonly driftIssues: DriftIssues,
    private readonly artifacts: ArtifactRuns,
    private readonly automerge: Automerge,
  ) {}

  async waiting(change: Change): Promise<string[]> {
    return this.plans.waiting(change, await this.plans.progressOf(change));
  }

  /**
   * An apply's CI run goes on, whichever run names it: what it does to infrastructure is not cut off. An id that the code
   * host did not give is cancelled only if this service started that CI run.
   */
  async cancelCiRun(place: HostPlace, run: WorkManifestEntity): Promise<void> {
    if (run.state !== 'aborted' || run.runType === 'apply' || run.place !== 'ci' || run.runId === null)
      return;
    if (run.errorId === 'JOB_FAILED' || (await this.runs.sharesCiRun(run))) return;
    const host = this.hosts.of(place.installation.provider);
    if (!isRunIdTold(run)) {
      const startedBy = (await host.findRun(place, run.runId))?.startedBy ?? null;
      if (startedBy === null || !(await host.isOwnAccount(place.installation, startedBy))) return;
    }
    await host.cancelRun(place, run.runId);
  }

  /** False when the run should have found something out and did not. */
  keepArtifact(place: RepositoryPlace, run: WorkManifestEntity): Promise<boolean> {
    return this.artifacts.keep(place, run);
  }

  async keepDriftIssues(place: RepositoryPlace, run: WorkManifestEntity): Promise<void> {
    await this.driftIssues.keep(place, run);
  }

  async removeLeftovers(run: WorkManifestEntity): Promise<void> {
    await this.leftovers.remove(run);
  }

  async continueWith(change: Change, run: WorkManifestEntity): Promise<void> {
    if (run.state !== 'completed' || change.refusal !== undefined) return;
    await this.plans.plan(change, {
      trigger: autoplanTrigger({ ...change.pullRequest, sha: run.branchRef }),
      username: change.pullRequest.username,
    });
    if (run.runType === 'plan') await this.afterPlans.continueWith(change, run);
    if (run.runType === 'apply') await this.planConflicts(change, run);
  }

  /** What stands on the commit by now may be what its branch requires. */
  async mergeWhenApplied(change: Change, run: WorkManifestEntity): Promise<void> {
    if (run.state !== 'completed' || run.runType !== 'apply' || change.refusal !== undefined) return;
    await this.automerge.mergeWhenApplied(change);
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
    await this.plans.planAgain(change, conflicted, { trigger: `conflict:${run.id}`, username });
  }
}
