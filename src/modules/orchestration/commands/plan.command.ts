import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { taggedDirectory } from '../../repo-config/index.js';
import { directoryMatcher, parseTagQuery } from '../../tag-query/index.js';
import type { Change } from '../planning/changes.js';
import { type PlanRequest, PullRequestPlans } from '../planning/pull-request-plans.js';
import { RunCreation } from '../planning/run-creation.js';
import { Runs } from '../runs/runs.store.js';
import { runError } from '../runs/work-manifest.machine.js';
import { CommandRefused } from './command-context.js';

interface WrittenPlanRequest extends PlanRequest {
  tagQuery: string;
  username: string;
}

const OUTDATED =
  'Not planned: the pull request has changed while this was looked at. Look at the newest commit, then write the command again.';

/** Plans again what a pull request changes. */
@Injectable()
export class PlanCommand {
  constructor(
    private readonly plans: PullRequestPlans,
    private readonly creation: RunCreation,
    private readonly runs: Runs,
    private readonly work: UnitOfWork,
  ) {}

  async plan(change: Change, request: WrittenPlanRequest): Promise<string[]> {
    const { place, pullRequest } = change;
    // A comment that is worked on again must not end what it has begun.
    const listBegun = () => this.runs.askedBy(place.repository.id, pullRequest.number, request.trigger);
    const begun = await listBegun();
    if (begun.length > 0) return begun;
    if (pullRequest.state === 'closed') throw new CommandRefused('Not planned: the pull request is closed.');
    // All runs of a comment or none: one that is worked on again finds all that it began.
    return this.work.run(async () => {
      const isCurrent = await this.plans.lockCurrent(change);
      // Another worker may have carried out the same comment before the lock was granted.
      const begunMeanwhile = await listBegun();
      if (begunMeanwhile.length > 0) return begunMeanwhile;
      if (!isCurrent) throw new CommandRefused(OUTDATED);
      return this.create(change, request);
    });
  }

  private async create(change: Change, request: WrittenPlanRequest): Promise<string[]> {
    const { place, pullRequest } = change;
    if (change.awaits !== undefined) {
      const id = await this.creation.forArtifact(change, change.awaits, request);
      return id === undefined ? [] : [id];
    }
    const matches = directoryMatcher(parseTagQuery(request.tagQuery));
    const progress = await this.plans.progressOf(change);
    const wanted = this.plans
      .ready(change, progress)
      .filter((dirspace) => matches(taggedDirectory(dirspace)));
    if (wanted.length === 0)
      throw new CommandRefused(
        'Not planned: no directory that this pull request changes matches, or they wait for others to be applied.',
      );
    const of = { repositoryId: place.repository.id, pullNumber: pullRequest.number };
    const replaced = runError('SUPERSEDED');
    if (request.tagQuery === '') await this.runs.endPlans(of, replaced, { isAskedAgain: false });
    else await this.runs.endWaitingIn(of, wanted, replaced);
    return this.creation.forPullRequest(change, wanted, { ...request, runType: 'plan' });
  }
}
