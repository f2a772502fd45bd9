import { dirspaceKey, type DirspaceKey } from '../../repo-config/index.js';
import type { DirspaceProgress, DirspaceRun, Progress } from '../runs/run-progress.queries.js';
import { inlineCode } from '../planning/inline-text.rules.js';

type Named = Pick<DirspaceRun, 'dir' | 'workspace'>;

/** Dirspaces of a merged pull request that its merge leaves behind; one stands in one of the lists at most. */
export interface LeftByMerge {
  /** no plan of the merged commit has ended: none began, or the merge ended it */
  unplanned: Named[];
  /** their newest plan failed */
  planFailed: Named[];
  /** planned with changes that nobody applied */
  unapplied: Named[];
  /** their last apply failed, or was given up */
  failed: Named[];
}

/** What is known of a merged pull request. */
export interface MergedWork {
  /** dirspaces that the pull request changes and that are planned by themselves */
  changed: readonly Named[];
  progress: Progress;
  /** type of the newest run of each dirspace where that run was given up */
  givenUp: ReadonlyMap<DirspaceKey, string>;
}

/** An apply under way is not left behind. */
export function leftByMerge({ changed, progress, givenUp }: MergedWork): LeftByMerge {
  const left: LeftByMerge = { unplanned: [], planFailed: [], unapplied: [], failed: [] };
  for (const [key, dirspace] of progress) {
    const list = listOf(dirspace, givenUp.get(key));
    const named = dirspace.apply ?? dirspace.plan;
    if (list !== undefined && named !== undefined) left[list].push(named);
  }
  for (const dirspace of changed) {
    const key = dirspaceKey(dirspace);
    if (progress.has(key)) continue;
    // An apply that plans by itself leaves no plan behind when it is given up.
    left[givenUp.get(key) === 'apply' ? 'failed' : 'unplanned'].push(dirspace);
  }
  return left;
}

function listOf(
  { plan, apply }: DirspaceProgress,
  givenUpType: string | undefined,
): keyof LeftByMerge | undefined {
  if (apply !== undefined) return apply.state === 'failure' ? 'failed' : undefined;
  if (givenUpType === 'apply') return 'failed';
  if (plan?.state === 'failure') return 'planFailed';
  return plan?.state === 'success' && plan.hasChanges === true ? 'unapplied' : undefined;
}

const MOST_NAMED = 100;
const LISTS: readonly [keyof LeftByMerge, string][] = [
  [
    'unplanned',
    '**Not planned, not applied**: the merge came before a plan of the newest commit had ended, so nobody has seen what these change.',
  ],
  ['planFailed', '**Plan failed, not applied**: the comment on the plan says why.'],
  ['unapplied', '**Not applied**: these were planned with changes, and nobody applied them.'],
  [
    'failed',
    '**Apply failed**: a part of the changes may have been made. Check the run before you apply again.',
  ],
];

/** Undefined when nothing is left behind. */
export function mergeComment(left: LeftByMerge): string | undefined {
  const parts = LISTS.filter(([list]) => left[list].length > 0).map(
    ([list, text]) => `${text}\n${named(left[list])}`,
  );
  if (parts.length === 0) return undefined;
  return [
    '### ⚠️ Merged before everything was applied',
    ...parts,
    'The merge released what the pull request held. A new pull request plans these directories again.',
  ].join('\n\n');
}

/** For a repository that applies after the merge: only what has no plan is left behind. */
export function unplannedComment({ unplanned }: Pick<LeftByMerge, 'unplanned'>): string | undefined {
  if (unplanned.length === 0) return undefined;
  return [
    '### ⚠️ Merged before everything was planned',
    `**Not planned**: the merge came before a plan of the newest commit had ended.\n${named(unplanned)}`,
    'Comment `infrastate plan` here, read the plan, then comment `infrastate apply`.',
  ].join('\n\n');
}

function named(dirspaces: readonly Named[]): string {
  const lines = dirspaces
    .slice(0, MOST_NAMED)
    .map(({ dir, workspace }) => `- \`${inlineCode(dir)}\` in workspace \`${inlineCode(workspace)}\``);
  if (dirspaces.length > MOST_NAMED) lines.push(`- … and ${dirspaces.length - MOST_NAMED} more`);
  return lines.join('\n');
}
