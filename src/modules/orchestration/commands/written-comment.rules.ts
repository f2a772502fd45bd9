/** Clocks of the provider and of this service differ. */
const CLOCK_SKEW_MS = 300_000;

/** When somebody wrote a comment. */
export interface CommentTimes {
  /** by the provider's clock; undefined where it does not say */
  createdAt: Date | undefined;
  /** when its delivery arrived, by the clock of this service; it may be a late one */
  receivedAt: Date;
}

/** The newest commit of a pull request. */
export interface KnownHead {
  /** since when it is known to be the head; null: nobody knows */
  since: Date | null;
}

/** When people could see a plan. */
export interface PlanTimes {
  /** when it ended, by the clock of this service: from then on it is in the console */
  completedAt: Date | null;
  /** when the provider was asked to write the comment on it, by the clock of this service */
  sayingAt: Date | null;
  /** when the provider wrote that comment, by the provider's clock; null: none stands yet */
  saidAt: Date | null;
}

/**
 * Whether the author of a comment could have read a plan. The comment on the plan tells how far the clocks differ: two
 * times of the provider are compared, in whole seconds, which is how GitHub says them. Neither the delay of a delivery nor
 * the clock of this service matters then. While that comment does not stand yet, the command has to be later than the plan by
 * both clocks.
 */
export function couldRead({ createdAt, receivedAt }: CommentTimes, plan: PlanTimes): boolean {
  const { completedAt, sayingAt, saidAt } = plan;
  if (completedAt === null) return true;
  if (createdAt === undefined) return isSince({ createdAt, receivedAt }, completedAt);
  if (saidAt === null)
    return (
      isSince({ createdAt, receivedAt }, completedAt) &&
      secondsOf(createdAt.getTime()) >= secondsOf(completedAt.getTime())
    );
  const pause = sayingAt === null ? 0 : Math.max(0, sayingAt.getTime() - completedAt.getTime());
  return secondsOf(createdAt.getTime()) >= secondsOf(saidAt.getTime() - pause);
}

/** Whether the author of a comment could have seen the newest commit. A commit of which nobody knows may be a new one. */
export function couldSee(comment: CommentTimes, { since }: KnownHead): boolean {
  return since !== null && isSince(comment, since);
}

/**
 * Whether a comment may have been written since a moment of this service's clock. It was not when it arrived before, or
 * when the provider's time lies further back than clocks differ.
 */
export function isSince({ createdAt, receivedAt }: CommentTimes, moment: Date): boolean {
  if (receivedAt < moment) return false;
  return createdAt === undefined || createdAt.getTime() + CLOCK_SKEW_MS >= moment.getTime();
}

function secondsOf(time: number): number {
  return Math.floor(time / 1000);
}
