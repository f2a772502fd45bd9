import type { DirspaceKey } from '../../repo-config/index.js';
import type { DirspaceRun, Progress } from '../runs/run-progress.queries.js';
import { inlineCode } from './comment-text.rules.js';

type Named = Pick<DirspaceRun, 'dir' | 'workspace'>;

/** Dirspaces of a merged pull request that its merge leaves behind; one stands in one of the lists at most. */
export interface LeftByMerge {
  /** planned with changes that nobody applied */
  unapplied: Named[];
  /** their last apply failed, or was given up */
  failed: Named[];
}

/** `givenUp` names the type of the newest run where that one was given up. An apply under way is not left behind. */
export function leftByMerge(progress: Progress, givenUp: ReadonlyMap<DirspaceKey, string>): LeftByMerge {
  const left: LeftByMerge = { unapplied: [], failed: [] };
  for (const [key, { plan, apply }] of progress) {
    if (apply?.state === 'failure') left.failed.push(apply);
    else if (plan && !apply && givenUp.get(key) === 'apply') left.failed.push(plan);
    else if (plan?.state === 'success' && plan.hasChanges === true && !apply) left.unapplied.push(plan);
  }
  return left;
}

const MOST_NAMED = 100;

/** Undefined when nothing is left behind. */
export function mergeComment({ unapplied, failed }: LeftByMerge): string | undefined {
  if (unapplied.length === 0 && failed.length === 0) return undefined;
  const parts = ['### ⚠️ Merged before everything was applied'];
  if (unapplied.length > 0)
    parts.push(
      `**Not applied**: these were planned with changes, and nobody applied them.\n${named(unapplied)}`,
    );
  if (failed.length > 0)
    parts.push(
      `**Apply failed**: a part of the changes may have been made. Check the run before you apply again.\n${named(failed)}`,
    );
  parts.push(
    'The merge released what the pull request held. A new pull request plans these directories again.',
  );
  return parts.join('\n\n');
}

function named(dirspaces: readonly Named[]): string {
  const lines = dirspaces
    .slice(0, MOST_NAMED)
    .map(({ dir, workspace }) => `- \`${inlineCode(dir)}\` in workspace \`${inlineCode(workspace)}\``);
  if (dirspaces.length > MOST_NAMED) lines.push(`- … and ${dirspaces.length - MOST_NAMED} more`);
  return lines.join('\n');
}
