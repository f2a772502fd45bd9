import type { HoldView, PullRequestDirectoryView, PullRequestOverviewView } from '../../platform/client';
import { isUnderWay } from './run-provider';

export interface PullRequestCommand {
  command: string;
  does: string;
}

type Known = Pick<PullRequestOverviewView, 'state' | 'is_fork' | 'pull_number' | 'directories' | 'holds'>;

/** The comments that do something at this moment, as far as the records say. */
export function commandsFor({
  state,
  is_fork,
  pull_number,
  directories,
  holds,
}: Known): PullRequestCommand[] {
  const commands: PullRequestCommand[] = [];
  if (!is_fork && state === 'open')
    commands.push({ command: 'infrastate plan', does: 'plans its changes again' });
  const isHeldByOthers = (dir: string, workspace: string): boolean =>
    holds.some(
      (hold) => hold.dir === dir && hold.workspace === workspace && hold.pull_number !== pull_number,
    );
  const isApplying = directories.some(({ apply }) => apply !== undefined && isUnderWay(apply.state));
  const isApplicable = directories.some(
    ({ dir, workspace, is_applicable }) => is_applicable && !isHeldByOthers(dir, workspace),
  );
  if (!is_fork && state !== 'closed' && isApplicable && !isApplying)
    commands.push({ command: 'infrastate apply', does: 'applies the newest plans' });
  const isReleasable = ({ pull_number: holder }: HoldView): boolean =>
    holder === undefined || holder === pull_number;
  if (holds.some((hold) => isReleasable(hold) && hold.reason !== 'applying'))
    commands.push({ command: 'infrastate unlock', does: 'releases the directories that it holds' });
  return commands;
}

/** Why the newest plan of a directory cannot be applied though it succeeded with changes. */
export function planObstacle({
  plan,
  apply,
  is_overtaken,
  is_applicable,
}: Omit<PullRequestDirectoryView, 'dir' | 'workspace'>): string | undefined {
  if (is_overtaken) return 'Another pull request has applied here since: plan again.';
  if (plan?.hooks_failed) return 'A hook of the plan failed: the plan cannot be applied.';
  const isAppliedOrApplying = apply !== undefined && apply.state !== 'aborted';
  if (is_applicable || isAppliedOrApplying || plan?.state !== 'success' || plan.has_changes !== true)
    return undefined;
  return 'This plan cannot be applied any more: plan again.';
}
