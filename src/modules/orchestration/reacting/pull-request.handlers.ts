import { Injectable } from '@nestjs/common';
import { HandlesEvent } from '../../../platform/events/index.js';
import { DependencyCycle, InvalidRepoConfig } from '../../repo-config/index.js';
import { type CodeEvents, HandlesCodeEvent, InstallationUnlinked } from '../../vcs/index.js';
import { CommentCommands } from '../commands/comment-commands.js';
import { type Change, Changes, UnreadableChange } from '../planning/changes.js';
import { autoplanTrigger, PullRequestPlans } from '../planning/pull-request-plans.js';
import { CommitStatuses } from '../reporting/commit-statuses.service.js';
import { MergeComments } from '../reporting/merge-comments.js';
import { MistakeComments } from '../reporting/mistake-comments.js';
import { Runs } from '../runs/runs.store.js';
import { runError } from '../runs/work-manifest.machine.js';
import { PullRequestClosing } from './pull-request-closing.js';

/** What webhooks say of pull requests and comments. Each handler is good to be called again. */
@Injectable()
export class PullRequestHandlers {
  constructor(
    private readonly changes: Changes,
    private readonly plans: PullRequestPlans,
    private readonly statuses: CommitStatuses,
    private readonly mistakes: MistakeComments,
    private readonly commands: CommentCommands,
    private readonly runs: Runs,
    private readonly closing: PullRequestClosing,
    private readonly merges: MergeComments,
  ) {}

  @HandlesCodeEvent('pull-request')
  async changed(event: CodeEvents['pull-request']): Promise<void> {
    const { repository, pullRequest, change: what, receivedAt, told } = event;
    // The row is what the provider says now: a delivery may be late, and the pull request open again.
    if (pullRequest.state !== 'open') {
      const { number, state } = pullRequest;
      // Holds are released first: a provider that refuses to be asked must not keep others out.
      await this.closing.close(repository.id, number, { keepsPlans: true });
      const merged = state === 'merged' ? await this.readMerged(event) : undefined;
      // Only the merge itself says what it left unplanned: the merge may be older than the link to the tenant.
      const left = what === 'closed' ? merged : undefined;
      if (merged && appliesAfterMerge(merged)) {
        if (left) await this.merges.sayUnplanned(event, pullRequest, left);
        return;
      }
      await this.closing.close(repository.id, number, { keepsPlans: false });
      if (state === 'merged') await this.merges.say(event, pullRequest, left);
      return;
    }
    if (what === 'closed') return;
    // What is wrong with the configuration must not keep what was applied before the close from being planned anew.
    if (what === 'reopened')
      await this.plans.reopened({ repositoryId: repository.id, pullNumber: pullRequest.number }, receivedAt);
    try {
      const change = await this.changes.read(event, pullRequest.number, told ? { told } : {});
      await this.mistakes.clear(repository.id, pullRequest.number);
      if (change.pullRequest.state !== 'open' || change.refusal !== undefined) return;
      const { username } = change.pullRequest;
      await this.plans.plan(change, {
        trigger: triggerOf(event, change),
        username,
      });
      await this.statuses.refresh(change);
    } catch (error) {
      if (!isMistake(error)) throw error;
      await this.mistakes.say(event, pullRequest, error);
    }
  }

  /** Where the configuration cannot be read nobody applies. */
  private async readMerged(event: CodeEvents['pull-request']): Promise<Change | undefined> {
    try {
      return await this.changes.read(event, event.pullRequest.number);
    } catch (error) {
      if (isMistake(error)) return undefined;
      throw error;
    }
  }

  @HandlesCodeEvent('comment')
  async commented(event: CodeEvents['comment']): Promise<void> {
    await this.commands.answer(event);
  }

  @HandlesEvent(InstallationUnlinked)
  async unlinked({ installationCoreId }: InstallationUnlinked): Promise<void> {
    await this.runs.endQueued(installationCoreId, runError('UNLINKED'));
  }
}

function triggerOf(
  { change: what, deliveryId }: CodeEvents['pull-request'],
  { pullRequest }: Change,
): string {
  return what === 'reopened' ? `reopened:${deliveryId}` : autoplanTrigger(pullRequest);
}

function appliesAfterMerge({ config }: Change): boolean {
  const { apply_after_merge, checks } = config.apply_requirements;
  return [apply_after_merge, ...checks.map((check) => check.apply_after_merge)].some(
    ({ enabled }) => enabled,
  );
}

/** Something that people have to mend, and that trying again does not. */
function isMistake(error: unknown): error is Error {
  return (
    error instanceof InvalidRepoConfig ||
    error instanceof DependencyCycle ||
    error instanceof UnreadableChange
  );
}
