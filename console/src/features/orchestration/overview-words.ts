import type { GateView, HoldView, RunDirectoryView } from '../../platform/client';

/** `+1 ~2 -0`, as comments have it; without counts whether anything changes. */
export function countsOf({
  summary,
  has_changes,
}: Pick<RunDirectoryView, 'summary' | 'has_changes'>): string | undefined {
  if (summary) return `+${summary.add} ~${summary.change} -${summary.destroy}`;
  return has_changes === undefined ? undefined : has_changes ? 'changes' : 'no changes';
}

/** A directory with its workspace, where that is not the usual one. */
export function directoryOf({ dir, workspace }: { dir: string; workspace: string }): string {
  const name = dir === '' ? '.' : dir;
  return workspace === 'default' ? name : `${name} (${workspace})`;
}

/** Why a pull request holds a directory. */
export function holdReason({ reason }: Pick<HoldView, 'reason'>): string {
  switch (reason) {
    case 'applying':
      return 'An apply is under way';
    case 'applied':
      return 'It was applied and waits for the merge';
    case 'failed':
      return 'An apply failed or was given up; somebody has to look at what it did';
  }
}

/** A pull request, or a run that reconciles drift. */
export function holderOf(pullNumber: number | undefined): string {
  return pullNumber === undefined ? 'drift reconciliation' : `#${pullNumber}`;
}

/** How a directory is released, and by whom. */
export function holdEnd({ reason, pull_number }: Pick<HoldView, 'reason' | 'pull_number'>): string {
  if (pull_number === undefined)
    return reason === 'applying'
      ? 'It ends with the run'
      : 'Comment “infrastate unlock” (for people listed in access_control.unlock of the base branch)';
  const unlock = `comment “infrastate unlock ${pull_number}” (for people listed in access_control.unlock of the base branch)`;
  return reason === 'applying'
    ? `After the apply: merge or close #${pull_number}, or ${unlock}`
    : `Merge or close #${pull_number}, or ${unlock}`;
}

/** Whose approval a gate asks for. */
export function gateNeeds({ all_of, any_of, any_of_count }: GateView): string {
  const all = all_of.length > 0 ? `all of ${all_of.join(', ')}` : undefined;
  const some = any_of.length > 0 ? `${any_of_count} of ${any_of.join(', ')}` : undefined;
  if (all !== undefined || some !== undefined)
    return [all, some].filter((part) => part !== undefined).join(', and ');
  return `${any_of_count} of those who may apply`;
}
