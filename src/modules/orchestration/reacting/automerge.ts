import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { dirspaceKey } from '../../repo-config/index.js';
import { CodeHosts, type MergeResult } from '../../vcs/index.js';
import { AutomaticChanges } from '../planning/automatic-changes.js';
import type { Change } from '../planning/changes.js';
import { PullRequestPlans } from '../planning/pull-request-plans.js';
import { inlineText } from '../planning/inline-text.rules.js';
import { Replies } from '../reporting/replies.js';
import { isDone } from '../runs/run-progress.queries.js';

/** A provider may need a moment to count the statuses that were set just now. */
const TRIES = 3;
const PAUSE_MS = 1_000;

/** Merges a pull request after its last apply, where the configuration says so. */
@Injectable()
export class Automerge {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly plans: PullRequestPlans,
    private readonly replies: Replies,
    private readonly automatic: AutomaticChanges,
  ) {}

  /** Call it once the statuses are set: a branch may require them. A refusal is posted once for each commit. */
  async mergeWhenApplied(change: Change): Promise<void> {
    const { config, place, pullRequest } = change;
    if (!config.automerge.enabled || pullRequest.state !== 'open' || !(await this.isApplied(change))) return;
    const answer = await this.tryMerge(change);
    if (answer.result === 'merged')
      await this.automatic.record(place, 'pull-request.automerge', {
        pullNumber: pullRequest.number,
        sha: pullRequest.sha,
      });
    if (answer.result !== 'refused') return;
    // Somebody merged it meanwhile.
    const now = await this.hosts.of(place.installation.provider).findPullRequest(place, pullRequest.number);
    if (now?.state !== 'open') return;
    const text = `Everything is applied, but the code host refused to merge this: ${inlineText(answer.reason)}\n\nRemove what stands in the way, for example a missing review or a required check, then merge it yourself.`;
    const key = `automerge:${pullRequest.number}:${pullRequest.sha}`;
    await this.replies.say(place, pullRequest.number, { key, text });
  }

  private async isApplied(change: Change): Promise<boolean> {
    const progress = await this.plans.progressOf(change);
    return change.changed.every((dirspace) => {
      const of = progress.get(dirspaceKey(dirspace));
      return of !== undefined && isDone(of) && !of.apply?.hooksFailed;
    });
  }

  private async tryMerge({ config, place, pullRequest }: Change): Promise<MergeResult> {
    const host = this.hosts.of(place.installation.provider);
    for (let tries = 1; ; tries += 1) {
      const answer = await host.mergePullRequest(place, pullRequest.number, {
        sha: pullRequest.sha,
        deletesBranch: config.automerge.delete_branch,
      });
      if (answer.result !== 'refused' || tries === TRIES) return answer;
      await delay(PAUSE_MS * tries);
    }
  }
}
