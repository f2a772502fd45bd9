import { CommentRoom, linesWithin, rankedWithin } from './comment-room.rules.js';
import { inlineCode, inlineText } from '../planning/inline-text.rules.js';
import { countsOf, type DirspaceText, type StepText } from './comment-text.rules.js';
import { outputParts, rankOf } from './run-output.rules.js';
import { remedyFor } from './run-remedies.rules.js';

/** A transaction that was first, where an apply was refused. */
export interface ConflictText {
  dir: string;
  workspace: string;
  id: string;
  by: string | undefined;
  tags: Readonly<Record<string, unknown>>;
}
/** A transaction that an apply left when it was aborted: `plan` of `mode: delta`, `session` of `mode: full`. */
export interface UnfinishedText {
  dir: string;
  workspace: string;
  id: string;
  kind: 'plan' | 'session';
}
/** A dirspace of a plan that another pull request, or a run that reconciles drift (`pullNumber: null`), holds. */
export interface HoldText {
  dir: string;
  workspace: string;
  pullNumber: number | null;
  username: string | null;
  createdAt: Date;
}
export interface RunText {
  id: string;
  runType: string;
  state: string;
  /** a hook failed although every dirspace succeeded, or a run without dirspaces failed */
  hooksFailed: boolean;
  error: { id: string; data: string } | undefined;
  dirspaces: readonly DirspaceText[];
  steps: readonly StepText[];
  gates: readonly { token: string; name: string | null; missing: string }[];
  waiting: readonly string[];
  holds: readonly HoldText[];
  conflicts: readonly ConflictText[];
  unfinished: readonly UnfinishedText[];
  runPage: string;
  ciRun: string | undefined;
  /** sections of other modules: cost, security */
  extras: readonly string[];
}

const MAX_URL_LENGTH = 2_000;

/**
 * The comment of a run that ended, at most `limit` characters (20,000 or more). How it ended, the counts, gates and links
 * always stand; then come as many rows and outputs as there is room for, failures first, and how many were left out.
 */
export function runComment(run: RunText, limit: number): string {
  const head = heading(run);
  const counts = run.dirspaces.length > 1 ? [countsLine(run)] : [];
  const tail = [...applyLine(run), links(run)];
  const room = new CommentRoom(limit);
  for (const part of [...head, ...counts, ...tail]) room.add(part);
  const obstacles = obstaclesWithin(run, room);
  const extras = run.extras.map((text) => {
    const [title = '', ...lines] = text.split('\n');
    return room.add(linesWithin(title, lines, room.share(1 / 4), (count) => `- … and ${count} more`));
  });
  const table = run.dirspaces.length > 0 ? [tableWithin(run, room)] : [];
  const outputs = outputParts(run, room.share(1));
  return [...head, ...counts, ...table, ...outputs, ...obstacles, ...extras, ...tail].join('\n\n');
}

/** What is left of an older plan comment. */
export function outdatedComment(runType: string, runPage: string): string {
  return `This ${runType} is outdated; a newer one takes its place. [Details](${runPage})`;
}

const TITLES: Readonly<Record<string, string>> = {
  apply: 'Apply',
  index: 'Index of the repository',
  'build-config': 'Configuration builder',
};

const HOOK_FAILED: Readonly<Record<string, string>> & { plan: string } = {
  plan: 'A hook failed, so this plan cannot be applied.',
  apply: 'Everything was applied, and a hook failed after it.',
};

/** How the run ended, and why. */
function heading(run: RunText): string[] {
  const title = TITLES[run.runType] ?? 'Plan';
  if (run.error)
    return [
      `### ❌ ${title} aborted`,
      `\`${run.error.id}\`: ${inlineText(run.error.data)}`,
      ...remedyFor(run.error.id, run.runType),
    ];
  // A comment about what a run should have found out is written only when it did not.
  const isArtifact = run.runType === 'index' || run.runType === 'build-config';
  if (run.hooksFailed && !isArtifact)
    return [`### ❌ ${title} failed`, HOOK_FAILED[run.runType] ?? HOOK_FAILED.plan];
  const hasFailed = isArtifact || run.dirspaces.some(({ state }) => state === 'failure');
  return [hasFailed ? `### ❌ ${title} failed` : `### ✅ ${title} succeeded`];
}

/** All directories in one line, which says most where the table is too long. */
function countsLine({ dirspaces, runType }: RunText): string {
  const counts = new Map<string, number>();
  const sum = { add: 0, change: 0, destroy: 0 };
  for (const { state, hasChanges, summary } of dirspaces) {
    const ended =
      hasChanges === false ? 'without changes' : runType === 'plan' ? 'with changes' : 'succeeded';
    const label = state === 'success' ? ended : state === 'failure' ? 'failed' : state;
    counts.set(label, (counts.get(label) ?? 0) + 1);
    sum.add += summary?.add ?? 0;
    sum.change += summary?.change ?? 0;
    sum.destroy += summary?.destroy ?? 0;
  }
  const parts = [...counts].map(([label, count]) => `${count} ${label}`);
  return `${dirspaces.length} directories: ${parts.join(', ')}. Resources: ${countsOf(sum)}`;
}

function applyLine({ runType, hooksFailed, dirspaces, holds }: RunText): string[] {
  if (runType !== 'plan' || hooksFailed) return [];
  const held = new Set(holds.map(({ dir, workspace }) => JSON.stringify([dir, workspace])));
  const canApply = dirspaces.some(
    ({ dir, workspace, hasChanges }) => hasChanges === true && !held.has(JSON.stringify([dir, workspace])),
  );
  return canApply ? ['To apply: comment `infrastate apply`.'] : [];
}

function links({ id, runPage, ciRun }: RunText): string {
  const isShown = ciRun !== undefined && ciRun.length <= MAX_URL_LENGTH;
  return [`[Run ${id.slice(0, 8)}](${runPage})`, ...(isShown ? [`[CI run](${ciRun})`] : [])].join(' · ');
}

/** What keeps the plan from being applied, or has kept the apply from it; gates may have the most room. */
function obstaclesWithin(
  { gates, waiting, holds, conflicts, unfinished }: RunText,
  room: CommentRoom,
): string[] {
  const lists: { title: string; lines: string[]; share: number }[] = [
    { title: '**Waiting for approval**', lines: gates.map(gateLine), share: 1 / 3 },
    {
      title:
        '**Held by others.** This plan may take back what they applied. When they no longer hold it, comment `infrastate plan`.',
      lines: holds.map(holdLine),
      share: 1 / 6,
    },
    {
      title: 'Planned once what they depend on is applied:',
      lines: waiting.map((dir) => `- \`${inlineCode(dir)}\``),
      share: 1 / 6,
    },
    {
      title: '**Changed by somebody else since the plan** (`TX_CONFLICT`); it is planned again now',
      lines: conflicts.map(conflictLine),
      share: 1 / 6,
    },
    {
      title:
        '**Not ended.** Check what the apply has done, comment `infrastate unlock`, then `infrastate plan`. The next apply in a directory ends its transaction:',
      lines: unfinished.map(unfinishedLine),
      share: 1 / 6,
    },
  ];
  const more = (count: number): string => `- … and ${count} more on the page of the run`;
  return lists
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines, share }) => room.add(linesWithin(title, lines, room.share(share), more)));
}

function gateLine({ token, name, missing }: RunText['gates'][number]): string {
  return `- ${inlineText(name ?? token)}: ${inlineText(missing)} — comment \`infrastate gate approve ${inlineCode(token)}\``;
}

function holdLine({ dir, workspace, pullNumber, username, createdAt }: HoldText): string {
  const holder = pullNumber === null ? 'a run that reconciles drift' : `#${pullNumber}`;
  const who = username === null ? '' : `, apply begun by ${inlineText(username)}`;
  return `- \`${inlineCode(dir)}\` (\`${inlineCode(workspace)}\`): held by ${holder} since ${createdAt.toISOString()}${who}`;
}

function conflictLine({ dir, workspace, id, by, tags }: ConflictText): string {
  const { repo, pull_number: number } = tags;
  // A number alone links to the pull request of this repository; with a repository to that one's.
  const pull =
    typeof number === 'number' && typeof repo === 'string'
      ? `, pull request ${inlineText(repo)}#${number}`
      : '';
  const who = by === undefined ? '' : ` of ${inlineText(by)}`;
  return `- \`${inlineCode(dir)}\` (\`${inlineCode(workspace)}\`): transaction \`${id}\`${who}${pull}`;
}

function unfinishedLine({ dir, workspace, id, kind }: UnfinishedText): string {
  const what =
    kind === 'session'
      ? 'contains the state that the apply has stored so far; it is committed automatically when the token of the runner has expired'
      : 'is still committing, and refuses other transactions that change the same resources';
  return `- \`${inlineCode(dir)}\` (\`${inlineCode(workspace)}\`): transaction \`${id}\` ${what}`;
}

const TABLE_HEAD = '| Directory | Workspace | Result |\n|---|---|---|';

function tableWithin({ dirspaces, runPage }: RunText, room: CommentRoom): string {
  const rows = dirspaces.map((dirspace) => ({ text: rowOf(dirspace), rank: rankOf(dirspace) }));
  const more = (count: number): string =>
    `\n\n${count} more directories are on the [page of the run](${runPage}).`;
  const kept = rankedWithin(rows, room.share(1 / 2) - TABLE_HEAD.length - more(rows.length).length);
  const table = [TABLE_HEAD, ...kept.map((at) => rows[at]?.text ?? '')].join('\n');
  return room.add(kept.length < rows.length ? table + more(rows.length - kept.length) : table);
}

function rowOf({ dir, workspace, state, summary, hasChanges }: DirspaceText): string {
  return `| \`${inlineCode(dir)}\` | \`${inlineCode(workspace)}\` | ${resultOf(state, summary, hasChanges)} |`;
}

function resultOf(state: string, summary: DirspaceText['summary'], hasChanges: boolean | null): string {
  if (state !== 'success') return state;
  if (summary) return `\`${countsOf(summary)}\``;
  return hasChanges === false ? 'no changes' : 'success';
}
