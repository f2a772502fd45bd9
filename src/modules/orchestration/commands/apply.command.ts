import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type Dirspace, dirspaceKey, taggedDirectory } from '../../repo-config/index.js';
import { directoryMatcher, parseTagQuery } from '../../tag-query/index.js';
import { ApplyRequirementChecks } from '../planning/apply-requirements.service.js';
import type { Change } from '../planning/changes.js';
import { inlineCode } from '../planning/inline-text.rules.js';
import { isOutdated } from '../planning/outdated-change.rules.js';
import { PullRequestPlans } from '../planning/pull-request-plans.js';
import { RunCreation } from '../planning/run-creation.js';
import { type GivenUp, Holds, type InTheWay } from '../runs/holds.store.js';
import { isApplicable, type Progress, RunProgress } from '../runs/run-progress.queries.js';
import { Runs } from '../runs/runs.store.js';
import { WaitingDrift } from '../runs/waiting-drift.js';
import { CommandRefused, NothingToDo } from './command-context.js';
import { type CommentTimes, couldRead, couldSee, type KnownHead } from './written-comment.rules.js';

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
  /** what asks for it, if somebody wrote it; undefined: it follows from the plan by itself */
  comment?: CommentTimes & {
    /** head of the pull request when the comment was taken up */
    head: KnownHead & { sha: string };
  };
}

const CLOSED = 'Not applied: the pull request is closed.';
const NOT_BUILT =
  'Not applied: the command of the base branch has not built the configuration of this commit yet, or is another one now. Comment `infrastate plan`, and read the new plan.';
const OUTDATED =
  'Not applied: the pull request has changed while this was looked at. Look at the newest commit and its plan, then write the command again.';
const NO_MATCH = 'Not applied: no directory that this pull request changes matches.';

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
    private readonly waitingDrift: WaitingDrift,
  ) {}

  async apply(change: Change, request: ApplyRequest): Promise<string[]> {
    // A comment that is worked on again has begun its apply before.
    const begun = await this.listBegun(change, request);
    if (begun.length > 0) return begun;
    try {
      return await this.applyNew(change, request);
    } catch (error) {
      // What another worker has begun for the same comment may be what stands in the way.
      const begunMeanwhile = error instanceof CommandRefused ? await this.listBegun(change, request) : [];
      if (begunMeanwhile.length > 0) return begunMeanwhile;
      throw error;
    }
  }

  private listBegun({ place, pullRequest }: Change, { trigger }: ApplyRequest): Promise<string[]> {
    return this.runs.askedBy(place.repository.id, pullRequest.number, trigger);
  }

  private async applyNew(change: Change, request: ApplyRequest): Promise<string[]> {
    const { pullRequest } = change;
    const progress = await this.plans.progressOf(change);
    requireKnownHead(change, request);
    if (pullRequest.state === 'closed') throw new NothingToDo(CLOSED);
    if (change.awaits === 'build-config') throw new CommandRefused(NOT_BUILT);
    const dirspaces = await this.choose(change, progress, request);
    if (!request.isForced) {
      const reasons = await this.requirements.reasons(change, dirspaces);
      if (reasons.length > 0)
        throw new CommandRefused(`Not applied:\n${reasons.map((reason) => `- ${reason}`).join('\n')}`);
    }
    return this.start(change, dirspaces, progress, request);
  }

  private async choose(change: Change, progress: Progress, request: ApplyRequest): Promise<Dirspace[]> {
    const { tagQuery, appliesPlan, comment, only = () => true } = request;
    const matches = directoryMatcher(parseTagQuery(tagQuery));
    const wanted = this.plans
      .ready(change, progress)
      .filter((dirspace) => matches(taggedDirectory(dirspace)) && only(dirspace));
    if (appliesPlan) {
      if (wanted.length === 0) throw new CommandRefused(NO_MATCH);
      return wanted;
    }
    const applicable = wanted.filter((dirspace) => {
      const of = progress.get(dirspaceKey(dirspace));
      return of !== undefined && isApplicable(of);
    });
    const unread = applicable.filter((dirspace) => {
      const plan = progress.get(dirspaceKey(dirspace))?.plan;
      return comment !== undefined && plan !== undefined && !couldRead(comment, plan);
    });
    if (unread.length > 0) throw new CommandRefused(unreadText(unread));
    if (applicable.length > 0) return applicable;
    await this.requireLooked(change, wanted);
    throw new NothingToDo(whyNotApplicable(wanted, progress));
  }

  /** Refuses where the last apply was given up and nobody has unlocked since. */
  private async requireLooked({ place, pullRequest }: Change, dirspaces: readonly Dirspace[]): Promise<void> {
    const held = { repositoryId: place.repository.id, pullNumber: pullRequest.number };
    const givenUp = (await this.holds.givenUp(held)).filter(({ dir, workspace }) =>
      dirspaces.some((each) => each.dir === dir && each.workspace === workspace),
    );
    if (givenUp.length > 0) throw new CommandRefused(givenUpText(givenUp));
  }

  /** Others may have applied or been merged while the provider was asked, and cannot any more. */
  private async requireSamePlans(
    change: Change,
    dirspaces: readonly Dirspace[],
    before: Progress,
  ): Promise<void> {
    const now = await this.plans.progressOf(change);
    const lost = dirspaces.filter((dirspace) => {
      const key = dirspaceKey(dirspace);
      const found = now.get(key);
      return !found || !isApplicable(found) || found.plan?.runId !== before.get(key)?.plan?.runId;
    });
    if (lost.length > 0) throw new CommandRefused(whyNotApplicable(lost, now));
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
      await this.runs.lockLink(place.installation.id);
      const recorded = await this.holds.lockPullRequest({ repositoryId, pullNumber: pullRequest.number });
      const begun = await this.listBegun(change, request);
      if (begun.length > 0) return begun;
      // Closing it released what it held; nothing would release what is held from now on.
      if (recorded?.state === 'closed') throw new NothingToDo(CLOSED);
      if (isOutdated(pullRequest, recorded)) throw new NothingToDo(OUTDATED);
      if (await this.progress.hasApplyUnderWay(repositoryId, pullRequest.number))
        throw new CommandRefused('Not applied: an apply of this pull request is under way.');
      await this.requireLooked(change, dirspaces);
      await this.waitingDrift.endIn(repositoryId, dirspaces);
      const inTheWay = await this.holds.acquire(
        { repositoryId, pullNumber: pullRequest.number },
        dirspaces,
        request.username,
      );
      if (inTheWay.length > 0)
        throw new CommandRefused(`Not applied:\n${inTheWay.map(inTheWayText).join('\n')}`);
      if (!request.appliesPlan) await this.requireSamePlans(change, dirspaces, progress);
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

/** What is planned and applied in one run is no commit that came after the comment. */
function requireKnownHead({ pullRequest }: Change, { appliesPlan, comment }: ApplyRequest): void {
  if (!appliesPlan || comment === undefined) return;
  if (comment.head.sha === pullRequest.sha && couldSee(comment, comment.head)) return;
  throw new CommandRefused(
    'Not applied: the pull request has a newer commit than this comment. Look at the newest commit, then write the command again.',
  );
}

/** Git allows any character but NUL in the name of a directory. */
function placeText({ dir, workspace }: { dir: string; workspace: string }): string {
  return `\`${inlineCode(dir)}\` (\`${inlineCode(workspace)}\`)`;
}

function unreadText(dirspaces: readonly Dirspace[]): string {
  const places = dirspaces.map(placeText);
  return `Not applied: a newer plan of ${places.join(', ')} has appeared since this comment was written. Read the newest plan, then comment \`infrastate apply\` again.`;
}

function inTheWayText(held: InTheWay): string {
  const place = placeText(held);
  const since = held.createdAt.toISOString();
  if (held.pullNumber !== null && held.isUnheld)
    return `- an apply of ${place} for #${held.pullNumber} is under way since ${since}; when that has ended, plan again`;
  if (held.pullNumber !== null && held.isClosed)
    return held.isApplying
      ? `- ${place} is held by #${held.pullNumber} since ${since}, which is closed and still being applied; when that has ended, comment \`infrastate plan\`, read the new plan, then comment \`infrastate apply\``
      : `- ${place} is held by #${held.pullNumber} since ${since}, which is closed; its last apply was given up and may still be running; look at what it did, then comment \`infrastate unlock ${held.pullNumber}\``;
  if (held.pullNumber !== null)
    return `- ${place} is held by #${held.pullNumber} since ${since}; merge or close it, or comment \`infrastate unlock\` there`;
  return held.runState === 'queued' || held.runState === 'running'
    ? `- drift of ${place} is being reconciled since ${since}; when that has ended, comment \`infrastate apply\` again`
    : `- the last run that reconciled drift of ${place} was given up${held.errorId === null ? '' : ` (\`${held.errorId}\`)`} and may still be running; look at what it did, then comment \`infrastate unlock\``;
}

function givenUpText(held: readonly GivenUp[]): string {
  const lines = held.map(
    (place) =>
      `- the last apply of ${placeText(place)} was given up (\`${place.errorId}\`) and may still be running; look at what it did, then comment \`infrastate unlock\``,
  );
  return `Not applied:\n${lines.join('\n')}`;
}

function whyNotApplicable(wanted: readonly Dirspace[], progress: Progress): string {
  if (wanted.length === 0 && progress.size > 0) return NO_MATCH;
  const plans = wanted.map((dirspace) => progress.get(dirspaceKey(dirspace))?.plan);
  if (plans.some((plan) => plan?.isRetired))
    return 'Not applied: the plan ended with the pull request. Comment `infrastate plan`, read the new plan, then comment `infrastate apply`.';
  if (plans.some((plan) => plan?.isUsed))
    return 'Not applied: the last apply of this plan was given up after it had begun, so the plan is used up. Comment `infrastate plan`, read the new plan, then comment `infrastate apply`.';
  if (plans.some((plan) => plan?.isOvertaken))
    return 'Not applied: since these directories were planned, another pull request has applied there or was merged after its apply, or a run has reconciled drift. Comment `infrastate plan` first.';
  if (plans.some((plan) => plan?.hooksFailed))
    return 'Not applied: a hook of the plan failed. Mend what it found, then push or comment `infrastate plan`.';
  if (plans.some((plan) => plan?.state === 'failure'))
    return 'Not applied: the plan failed. Mend what it says, then push or comment `infrastate plan`.';
  return 'Not applied: nothing is planned with changes for the newest commit. Comment `infrastate plan`, or wait for the plan to end.';
}
