import type { HostPullRequest } from '../../vcs/index.js';

/** A pull request at the moment when it was read or recorded. */
export type PullRequestMoment = Pick<HostPullRequest, 'sha' | 'baseBranch' | 'state' | 'updatedAt'>;

/**
 * Whether another head, another base, or the end of the pull request, was recorded after the pull request was read. Providers round
 * times to seconds, so the record counts when both have the same time: its own delivery is worked on besides.
 */
export function isOutdated(read: PullRequestMoment, recorded: PullRequestMoment | undefined): boolean {
  if (recorded === undefined || recorded.updatedAt < read.updatedAt) return false;
  return (
    recorded.sha !== read.sha || recorded.baseBranch !== read.baseBranch || recorded.state !== read.state
  );
}
