import { Injectable } from '@nestjs/common';
import { type Change, Changes } from '../planning/changes.js';
import { inlineCode } from '../planning/inline-text.rules.js';
import { Permissions } from '../planning/permissions.service.js';
import { Runs } from '../runs/runs.store.js';
import { CommandRefused } from './command-context.js';
import type { Unlocking } from './unlock.command.js';

/**
 * Who may end a hold: those whom the branch names that the directories were applied for. A pull request may have another
 * base than the one that it unlocks, and another one than when it was applied.
 */
@Injectable()
export class UnlockPermissions {
  constructor(
    private readonly changes: Changes,
    private readonly permissions: Permissions,
    private readonly runs: Runs,
  ) {}

  /** Refuses to unlock pull requests; leaves out what drift runs hold where the default branch does not permit it. */
  async permit(username: string, change: Change, unlocking: Unlocking): Promise<Unlocking> {
    const { place, pullRequest, refusal } = change;
    const { defaultBranch } = place.repository;
    const asked = new Set([pullRequest.baseBranch]);
    const branches = await this.runs.basesOfApplies(place.repository.id, unlocking.numbers);
    // Anybody who may push can make a base branch that starts no runs, and name themselves in it.
    if (refusal !== undefined) branches.unshift(defaultBranch ?? '');
    for (const branch of branches) {
      if (asked.has(branch)) continue;
      asked.add(branch);
      if (!(await this.isPermitted(username, change, branch)))
        throw new CommandRefused(
          `@${username} may not do this: \`unlock\` is for those whom \`access_control.unlock\` of \`${inlineCode(branch)}\` names.`,
        );
    }
    if (unlocking.reconciled.length === 0 || defaultBranch === null || asked.has(defaultBranch))
      return unlocking;
    const isPermitted = await this.isPermitted(username, change, defaultBranch);
    return isPermitted ? unlocking : { ...unlocking, reconciled: [] };
  }

  /** For a branch that is gone the default branch decides. */
  private async isPermitted(username: string, { place }: Change, branch: string): Promise<boolean> {
    const { defaultBranch } = place.repository;
    const config =
      (await this.changes.configOf(place, branch)) ??
      (defaultBranch === null ? undefined : await this.changes.configOf(place, defaultBranch));
    return config !== undefined && this.permissions.isOneOf(place, username, config.access_control.unlock);
  }
}
