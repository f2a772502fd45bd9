import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../platform/errors/index.js';
import { CodeHosts, type Reviewers } from '../../vcs/index.js';
import { ApplyCommand } from '../commands/apply.command.js';
import { CommandRefused, NothingToDo } from '../commands/command-context.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { ApplyRequirementChecks } from '../planning/apply-requirements.service.js';
import { AutomaticChanges } from '../planning/automatic-changes.js';
import type { Change } from '../planning/changes.js';
import { toPerson } from '../planning/gate.rules.js';
import { Permissions } from '../planning/permissions.service.js';
import { Replies } from '../reporting/replies.js';
import { Gates } from '../runs/gates.store.js';

/** What follows from a plan of a pull request: people are asked for reviews, and what may apply itself does. */
@Injectable()
export class AfterPlans {
  private readonly logger = new Logger('AfterPlans');

  constructor(
    private readonly hosts: CodeHosts,
    private readonly gates: Gates,
    private readonly permissions: Permissions,
    private readonly applies: ApplyCommand,
    private readonly requirements: ApplyRequirementChecks,
    private readonly replies: Replies,
    private readonly automatic: AutomaticChanges,
  ) {}

  async continueWith(change: Change, run: WorkManifestEntity): Promise<void> {
    await this.requestReviewers(change);
    await this.applyByItself(change, run);
  }

  /** Whom gates of the commit ask for. Asking twice is no error, and a name that the provider refuses stops nothing. */
  private async requestReviewers({ place, pullRequest }: Change): Promise<void> {
    const { number: pullNumber, sha, username } = pullRequest;
    const gates = await this.gates.list({ repositoryId: place.repository.id, pullNumber, sha });
    const reviewers = reviewersOf(
      gates.flatMap(({ addReviewers }) => addReviewers),
      username,
    );
    if (reviewers.usernames.length + reviewers.teams.length === 0) return;
    try {
      await this.hosts.of(place.installation.provider).requestReviewers(place, pullNumber, reviewers);
    } catch (error) {
      if (!(error instanceof AppError) || error.id !== 'PROVIDER_REFUSED') throw error;
      this.logger.warn({ msg: 'reviewers of a gate were refused', pullNumber });
    }
  }

  /** `autoapply` stands on the head: it gives nobody a right that a comment of the author would not have. */
  private async applyByItself(change: Change, run: WorkManifestEntity): Promise<void> {
    const { username } = change.pullRequest;
    if (username === null || !change.changed.some(({ autoapply }) => autoapply)) return;
    if (change.pullRequest.state !== 'open') return;
    const people = change.config.access_control.apply;
    if (!(await this.permissions.isOneOf(change.place, username, people))) return;
    // Whoever pushed to somebody else's pull request does not speak with their right.
    const pushedBy = await this.requirements.findPusher(change);
    // GitLab says it of every push; the author of a pull request at GitHub speaks for what it was opened with.
    if (pushedBy === undefined && change.place.installation.provider === 'gitlab') return;
    if (pushedBy !== undefined && !(await this.permissions.isOneOf(change.place, pushedBy, people))) return;
    try {
      await this.applies.apply(change, {
        tagQuery: '',
        username,
        trigger: `autoapply:${run.id}`,
        isForced: false,
        appliesPlan: false,
        only: ({ autoapply }) => autoapply,
        recordStart: (runs) =>
          this.automatic.record(change.place, 'pull-request.autoapply', {
            pullNumber: change.pullRequest.number,
            username,
            runs,
          }),
      });
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
      if (error instanceof NothingToDo) return;
      await this.replies.say(change.place, change.pullRequest.number, {
        key: `autoapply:${run.id}`,
        text: `\`autoapply\`: ${error.message}\n\nWhen nothing stands in the way any more, comment \`infrastate apply\`.`,
      });
    }
  }
}

/** Users and teams of a list of people. Roles and `*` name nobody who could be asked; nobody reviews their own pull request. */
export function reviewersOf(people: readonly string[], author: string | null): Reviewers {
  const usernames = new Map<string, string>();
  const teams = new Set<string>();
  for (const entry of people) {
    const person = toPerson(entry);
    const name = person.slice(person.indexOf(':') + 1).trim();
    if (person.startsWith('team:') && name !== '') teams.add(name);
    else if (person.startsWith('user:') && name !== '' && name.toLowerCase() !== author?.toLowerCase())
      usernames.set(name.toLowerCase(), name);
  }
  return { usernames: [...usernames.values()], teams: [...teams] };
}
