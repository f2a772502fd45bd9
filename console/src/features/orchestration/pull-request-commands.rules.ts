import type { HoldView, PullRequestOverviewView } from '../../platform/client';

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
  const isApplicable = directories.some(
    ({ dir, workspace, plan, apply, is_overtaken }) =>
      plan?.state === 'success' &&
      plan.has_changes === true &&
      apply === undefined &&
      !is_overtaken &&
      !isHeldByOthers(dir, workspace),
  );
  if (!is_fork && state !== 'closed' && isApplicable)
    commands.push({ command: 'infrastate apply', does: 'applies the newest plans' });
  const isReleasable = ({ pull_number: holder }: HoldView): boolean =>
    holder === undefined || holder === pull_number;
  if (holds.some((hold) => isReleasable(hold) && hold.reason !== 'applying'))
    commands.push({ command: 'infrastate unlock', does: 'releases the directories that it holds' });
  return commands;
}
