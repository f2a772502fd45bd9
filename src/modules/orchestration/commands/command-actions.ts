import { Injectable } from '@nestjs/common';
import { CommitStatuses } from '../reporting/commit-statuses.service.js';
import { taggedDirectory } from '../../repo-config/index.js';
import { directoryMatcher, parseTagQuery } from '../../tag-query/index.js';
import { CodeHosts } from '../../vcs/index.js';
import type { Change } from '../planning/changes.js';
import { toPerson } from '../planning/gate.rules.js';
import { Permissions } from '../planning/permissions.service.js';
import { Gates } from '../runs/gates.store.js';
import { ApplyCommand } from './apply.command.js';
import { CommandRefused, type CommandContext, timesOf, triggerOf } from './command-context.js';
import type { CommentCommand } from './comment.rules.js';
import { configurationText } from './configuration-text.rules.js';
import { PlanCommand } from './plan.command.js';
import { UnlockPermissions } from './unlock-permissions.js';
import { UnlockCommand, type Unlocking } from './unlock.command.js';
import { isSince } from './written-comment.rules.js';

/** Does what a command asks for; answers the reply, if there is one. Who may by this base branch was asked before. */
@Injectable()
export class CommandActions {
  constructor(
    private readonly plan: PlanCommand,
    private readonly applyCommand: ApplyCommand,
    private readonly unlockCommand: UnlockCommand,
    private readonly unlockPermissions: UnlockPermissions,
    private readonly gates: Gates,
    private readonly statuses: CommitStatuses,
    private readonly hosts: CodeHosts,
    private readonly permissions: Permissions,
  ) {}

  /** @param finish records that the command was carried out; an unlock calls it in its own transaction */
  async act(
    context: CommandContext,
    command: Exclude<CommentCommand, { name: 'help' } | { name: 'unknown' }>,
    change: Change,
    finish: () => Promise<void>,
  ): Promise<string | undefined> {
    const { comment, repository, pullRequest } = context;
    const request = { username: comment.username, trigger: triggerOf(context) };
    switch (command.name) {
      case 'plan':
        await this.plan.plan(change, { ...request, tagQuery: command.tagQuery });
        await this.statuses.refresh(change);
        return undefined;
      case 'apply':
      case 'apply-force':
      case 'apply-autoapprove':
        await this.applyCommand.apply(change, {
          ...request,
          tagQuery: command.tagQuery,
          isForced: command.name === 'apply-force',
          appliesPlan: command.name === 'apply-autoapprove',
          comment: { ...timesOf(context), head: { sha: pullRequest.sha, since: pullRequest.headAt } },
        });
        await this.statuses.refresh(change);
        return undefined;
      case 'unlock': {
        const asked = unlockingOf(command, change);
        const unlocking = await this.unlockPermissions.permit(comment.username, change, asked);
        const isPart = unlocking.reconciled.length < asked.reconciled.length;
        const { count, mustPlan } = await this.unlockCommand.unlock(
          repository.id,
          unlocking,
          timesOf(context),
          finish,
        );
        return unlockedText(count, { mustPlan, isPart });
      }
      case 'gate approve':
        return this.approve(context, command.token, change);
      case 'repo-config':
        return configurationText(change);
    }
  }

  private async approve(context: CommandContext, token: string, change: Change): Promise<string> {
    const { comment, repository, pullRequest } = context;
    const at = { repositoryId: repository.id, pullNumber: pullRequest.number, sha: change.pullRequest.sha };
    const gate = (await this.gates.list(at)).find((each) => each.token === token);
    if (!gate) throw new CommandRefused('The newest commit has no such gate.');
    if (!isSince(timesOf(context), gate.createdAt))
      throw new CommandRefused(
        'The gate is newer than the comment: look at the newest commit, then approve it again.',
      );
    const host = this.hosts.of(context.installation.provider);
    if (await host.isOwnAccount(context.installation, comment.username))
      throw new CommandRefused('The service cannot approve gates itself.');
    const named = [...gate.allOf, ...gate.anyOf].map(toPerson);
    const people = named.length > 0 ? named : change.config.access_control.apply;
    if (!(await this.permissions.isOneOf(context, comment.username, people)))
      throw new CommandRefused(`@${comment.username} is not one of those who approve this gate.`);
    await this.gates.approve(at, token, { username: comment.username, commentId: comment.id });
    return `@${comment.username} approved the gate.`;
  }
}

function unlockingOf(
  { numbers, tagQuery }: Extract<CommentCommand, { name: 'unlock' }>,
  { pullRequest, all, changed }: Change,
): Unlocking {
  if (tagQuery !== undefined) {
    const matches = directoryMatcher(parseTagQuery(tagQuery));
    const only = all.filter((dirspace) => matches(taggedDirectory(dirspace)));
    return { numbers: [pullRequest.number], reconciled: only, only };
  }
  return numbers.length === 0
    ? { numbers: [pullRequest.number], reconciled: changed }
    : { numbers, reconciled: [] };
}

function unlockedText(count: number, { mustPlan, isPart }: { mustPlan: boolean; isPart: boolean }): string {
  const text =
    count === 0
      ? 'Nothing to unlock: no directory was held.'
      : `Unlocked: ${count} ${count === 1 ? 'directory is' : 'directories are'} held no longer.`;
  const said = isPart
    ? `${text} What a drift run holds was left as it is: \`access_control.unlock\` of the default branch does not name you.`
    : text;
  return mustPlan
    ? `${said} An apply was given up there and its plan is used up: comment \`infrastate plan\`, read the new plan, then apply it.`
    : said;
}
