import { type ApplyRequirements, globMatcher } from '../../repo-config/index.js';
import type { CommitStatus, HostPullRequest, HostReview } from '../../vcs/index.js';
import { inlineCode, inlineText } from './inline-text.rules.js';

const OWN_STATUSES = /^infrastate (plan|apply)(:|$)/;

/** What stands in the way of an apply besides approvals; every reason, for people. */
export function unmetRequirements(
  requirements: ApplyRequirements,
  pullRequest: HostPullRequest,
  statuses: readonly CommitStatus[],
): string[] {
  const { merge_conflicts, status_checks, ready_for_review, apply_after_merge } = requirements;
  const reasons: string[] = [];
  if (pullRequest.state === 'closed') reasons.push('the pull request is closed');
  if (apply_after_merge.enabled && pullRequest.state !== 'merged')
    reasons.push('it has to be merged first (`apply_after_merge`)');
  if (!apply_after_merge.enabled && pullRequest.state === 'merged')
    reasons.push('the pull request is merged already');
  if (pullRequest.state === 'open') {
    if (merge_conflicts.enabled && pullRequest.isMergeable === false) reasons.push('it has merge conflicts');
    if (merge_conflicts.enabled && pullRequest.isMergeable === null)
      reasons.push('the provider does not say yet whether it has merge conflicts; try again in a moment');
    if (ready_for_review.enabled && pullRequest.isDraft) reasons.push('it is a draft');
  }
  if (status_checks.enabled) {
    const ignored = status_checks.ignore_matching.map((pattern) => globMatcher(pattern));
    const failing = statuses.filter(
      ({ context, state }) =>
        state !== 'success' && !OWN_STATUSES.test(context) && !ignored.some((matches) => matches(context)),
    );
    if (failing.length > 0)
      reasons.push(
        `status checks have not succeeded: ${failing.map(({ context }) => `\`${inlineCode(context)}\``).join(', ')}`,
      );
  }
  return reasons;
}

/**
 * Who has approved the commit: the newest review of each person counts, an outdated or dismissed one does not, and
 * nobody approves their own pull request.
 */
export function approvers(reviews: readonly HostReview[], pullRequest: HostPullRequest): string[] {
  const newest = new Map<string, HostReview>();
  for (const review of reviews.toSorted(bySubmission))
    if (review.state !== 'commented') newest.set(review.username.toLowerCase(), review);
  return [...newest.values()]
    .filter(({ state, sha }) => state === 'approved' && (sha === null || sha === pullRequest.sha))
    .map(({ username }) => username)
    .filter((username) => username.toLowerCase() !== pullRequest.username?.toLowerCase());
}

interface ApprovalTally {
  /** entries of `all_of` that nobody has approved for */
  missing: readonly string[];
  /** whose approval stands and counts: those whom `any_of` names; else those whom `all_of` names and all who may write */
  eligible: readonly string[];
  /** who pushed the head commit last; undefined: nobody knows */
  pushedBy: string | undefined;
}

/**
 * Every approval that is missing. Where more than one is asked for, whoever pushed the head commit last does not approve
 * it: somebody else has to have seen the last change. While nobody knows who pushed, any one of them may be it.
 */
export function missingReviews(
  { all_of, any_of, any_of_count }: ApplyRequirements['approved'],
  { missing, eligible, pushedBy }: ApprovalTally,
): string[] {
  const reasons = missing.map((entry) => `an approval of \`${inlineCode(entry)}\` is missing`);
  const needed = any_of.length > 0 || all_of.length === 0 ? any_of_count : 0;
  const isShared = any_of_count > 1;
  const counted = isShared ? withoutPusher(eligible, pushedBy) : eligible.length;
  if (counted < needed)
    reasons.push(
      `${needed - counted} more approval${needed - counted === 1 ? '' : 's'} needed${counted < eligible.length ? whyNotCounted(pushedBy) : ''}`,
    );
  const isAlone = isShared && needed === 0 && eligible.length > 0 && counted === 0;
  if (isAlone && missing.length === 0)
    reasons.push(`an approval of somebody else is missing${whyNotCounted(pushedBy)}`);
  return reasons;
}

function withoutPusher(usernames: readonly string[], pushedBy: string | undefined): number {
  if (pushedBy === undefined) return Math.max(usernames.length - 1, 0);
  return usernames.filter((username) => username.toLowerCase() !== pushedBy.toLowerCase()).length;
}

function whyNotCounted(pushedBy: string | undefined): string {
  return pushedBy === undefined
    ? ' (the provider does not say who pushed the newest commit, so one approval may be theirs)'
    : ` (${inlineText(pushedBy)} pushed the newest commit)`;
}

function bySubmission(a: HostReview, b: HostReview): number {
  return (a.submittedAt?.getTime() ?? 0) - (b.submittedAt?.getTime() ?? 0);
}
