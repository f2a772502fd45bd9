import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type Dirspace, dirspaceKey, taggedDirectory } from '../../repo-config/index.js';
import { directoryMatcher, parseTagQuery } from '../../tag-query/index.js';
import { ApplyRequirementChecks } from '../planning/apply-requirements.service.js';
import type { Change } from '../planning/changes.js';
import { PullRequestPlans } from '../planning/pull-request-plans.js';
import { RunCreation } from '../planning/run-creation.js';
import { Holds } from '../runs/holds.store.js';
import { isApplicable, type Progress, RunProgress } from '../runs/run-progress.queries.js';
import { Runs } from '../runs/runs.store.js';
import { CommandRefused } from './command-context.js';

export interface ApplyRequest {
  tagQuery: string;
  username: string | null;
  /** what asked for it */
  trigger: string;
  /** skips requirements and gates */
  isForced: boolean;
  /** plans and applies in one run */
  appliesPlan: boolean;
  /** no other dirspaces than these */
  only?: (dirspace: Dirspace) => boolean;
}

/** Starts applies. Everything that stands in the way is said in one refusal. */
@Injectable()
export class ApplyCommand {
  constructor(
    private readonly work: UnitOfWork,
    private readonly plans: PullRequestPlans,
    private readonly progress: RunProgress,
    private readonly requirements: ApplyRequirementChecks,
    private readonly holds: Holds,
    private readonly creation: RunCreation,
    private readonly runs: Runs,
  ) {}

  async apply(change: Change, request: ApplyRequest): Promise<string[]> {
    const { place, pullRequest } = change;
    // A comment that is worked on again has begun its apply before.
    const begun = await this.runs.askedBy(place.repository.id, pullRequest.number, request.trigger);
    if (begun.length > 0) return begun;
    const progress = await this.plans.progressOf(change);
    const dirspaces = this.choose(change, progress, request);
    if (!request.isForced) {
      const reasons = await this.requirements.reasons(change, dirspaces);
      if (reasons.length > 0)
        throw new CommandRefused(`Not applied:\n${reasons.map((reason) => `- ${reason}`).join('\n')}`);
    }
    return this.start(change, dirspaces, progress, request);
  }

  private choose(change: Change, progress: Progress, request: ApplyRequest): Dirspace[] {
    const { tagQuery, appliesPlan, only = () => true } = request;
    const matches = directoryMatcher(parseTagQuery(tagQuery));
    const wanted = this.plans
      .ready(change, progress)
      .filter((dirspace) => matches(taggedDirectory(dirspace)) && only(dirspace));
    if (appliesPlan) {
      if (wanted.length === 0)
        throw new CommandRefused('Not applied: no directory that this pull request changes matches.');
      return wanted;
    }
    const applicable = wanted.filter((dirspace) => {
      const of = progress.get(dirspaceKey(dirspace));
      return of !== undefined && isApplicable(of);
    });
    if (applicable.length > 0) return applicable;
    throw new CommandRefused(whyNotApplicable(wanted, progress));
  }

  /** The hold and the run are one: neither is there without the other. */
  private start(
    change: Change,
    dirspaces: readonly Dirspace[],
    progress: Progress,
    request: ApplyRequest,
  ): Promise<string[]> {
    const { place, pullRequest } = change;
    const repositoryId = place.repository.id;
    return this.work.run(async () => {
      const state = await this.holds.lockHolder({ repositoryId, pullNumber: pullRequest.number });
      // Closing it released what it held; nothing would release what is held from now on.
      if (state === 'closed') throw new CommandRefused('Not applied: the pull request is closed.');
      if (await this.progress.hasApplyUnderWay(repositoryId, pullRequest.number))
        throw new CommandRefused('Not applied: an apply of this pull request is under way.');
      const givenUp = (await this.holds.givenUp({ repositoryId, pullNumber: pullRequest.number })).filter(
        (held) => dirspaces.some(({ dir, workspace }) => dir === held.dir && workspace === held.workspace),
      );
      if (givenUp.length > 0) throw new CommandRefused(givenUpText(givenUp));
      const locking = dirspaces.filter(({ lockPolicy }) => lockPolicy === 'apply');
      const inTheWay = await this.holds.acquire(
        { repositoryId, pullNumber: pullRequest.number },
        locking,
        request.username,
      );
      if (inTheWay.length > 0)
        throw new CommandRefused(
          `Not applied:\n${inTheWay
            .map(
              ({ dir, workspace, pullNumber, createdAt }) =>
                `- \`${dir}\` (\`${workspace}\`) is held by #${pullNumber} since ${createdAt.toISOString()}; merge or close it, or comment \`infrastate unlock\` there`,
            )
            .join('\n')}`,
        );
      return this.creation.forPullRequest(change, dirspaces, {
        runType: 'apply',
        trigger: request.trigger,
        username: request.username,
        tagQuery: request.tagQuery,
        appliesPlan: request.appliesPlan,
        isForced: request.isForced,
        planFrom: (dirspace) =>
          request.appliesPlan ? null : (progress.get(dirspaceKey(dirspace))?.plan?.runId ?? null),
      });
    });
  }
}

function givenUpText(held: readonly { dir: string; workspace: string; errorId: string }[]): string {
  const lines = held.map(
    ({ dir, workspace, errorId }) =>
      `- the last apply of \`${dir}\` (\`${workspace}\`) was given up (\`${errorId}\`) and may still be running; look at what it did, then comment \`infrastate unlock\``,
  );
  return `Not applied:\n${lines.join('\n')}`;
}

function whyNotApplicable(wanted: readonly Dirspace[], progress: Progress): string {
  const plans = wanted.map((dirspace) => progress.get(dirspaceKey(dirspace))?.plan);
  if (plans.some((plan) => plan?.isOvertaken))
    return 'Not applied: another pull request has applied in these directories since they were planned. Comment `infrastate plan` first.';
  if (plans.some((plan) => plan?.hooksFailed))
    return 'Not applied: a hook of the plan failed. Mend what it found, then push or comment `infrastate plan`.';
  return 'Not applied: nothing is planned with changes for the newest commit. Comment `infrastate plan`, or wait for the plan to end.';
}
