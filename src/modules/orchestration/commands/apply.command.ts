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
  ) {}

  async apply(change: Change, request: ApplyRequest): Promise<string[]> {
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
      await this.work.query(
        'SELECT 1 FROM pull_requests WHERE repository_id = $1 AND number = $2 FOR UPDATE',
        [repositoryId, pullRequest.number],
      );
      if (await this.progress.hasApplyUnderWay(repositoryId, pullRequest.number))
        throw new CommandRefused('Not applied: an apply of this pull request is under way.');
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

function whyNotApplicable(wanted: readonly Dirspace[], progress: Progress): string {
  const plans = wanted.map((dirspace) => progress.get(dirspaceKey(dirspace))?.plan);
  if (plans.some((plan) => plan?.isOvertaken))
    return 'Not applied: another pull request has applied in these directories since they were planned. Comment `infrastate plan` first.';
  if (plans.some((plan) => plan?.hooksFailed))
    return 'Not applied: a hook of the plan failed. Mend what it found, then push or comment `infrastate plan`.';
  return 'Not applied: nothing is planned with changes for the newest commit. Comment `infrastate plan`, or wait for the plan to end.';
}
