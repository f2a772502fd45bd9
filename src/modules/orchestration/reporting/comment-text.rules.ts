/** Texts of comments. What a run prints never leaves its block, mentions nobody and closes no issue. */

export interface StepText {
  step: string;
  state: 'success' | 'failure';
  dir: string | null;
  workspace: string | null;
  subflow: string | null;
  payload: Record<string, unknown> | null;
}
export interface DirspaceText {
  dir: string;
  workspace: string;
  state: string;
  hasChanges: boolean | null;
  summary: { add: number; change: number; destroy: number } | null;
}
/** A transaction that was first, where an apply was refused. */
export interface ConflictText {
  dir: string;
  workspace: string;
  id: string;
  by: string | undefined;
  tags: Readonly<Record<string, unknown>>;
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
  /** a hook failed although every dirspace succeeded */
  hooksFailed: boolean;
  error: { id: string; data: string } | undefined;
  dirspaces: readonly DirspaceText[];
  steps: readonly StepText[];
  gates: readonly { token: string; name: string | null; missing: string }[];
  waiting: readonly string[];
  holds: readonly HoldText[];
  conflicts: readonly ConflictText[];
  runPage: string;
  ciRun: string | undefined;
  /** sections of other modules: cost, security */
  extras: readonly string[];
}

const TRUNCATED = '… cut here; the whole output is on the page of the run';
const MIN_OUTPUT_LENGTH = 200;

/** The comment of a run that ended, at most `limit` characters; output is cut inside of its block, by dirspace. */
export function runComment(run: RunText, limit: number): string {
  const outputs = run.steps.filter((step) => isShown(step)).length;
  let perOutput = limit;
  for (;;) {
    const text = compose(run, perOutput);
    if (text.length <= limit || perOutput < MIN_OUTPUT_LENGTH) return text.slice(0, limit);
    perOutput = Math.min(Math.floor(perOutput / 2), Math.floor((limit * 0.8) / Math.max(outputs, 1)));
  }
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

function compose(run: RunText, perOutput: number): string {
  const parts = heading(run);
  if (run.dirspaces.length > 0) parts.push(table(run.dirspaces));
  for (const dirspace of run.dirspaces) parts.push(...sectionsOf(run, dirspace, perOutput));
  parts.push(...hookSections(run, perOutput), ...obstacles(run), ...run.extras);
  const isFree = ({ dir, workspace }: DirspaceText): boolean =>
    !run.holds.some((hold) => hold.dir === dir && hold.workspace === workspace);
  const canApply = run.dirspaces.some((dirspace) => dirspace.hasChanges === true && isFree(dirspace));
  if (run.runType === 'plan' && canApply && !run.hooksFailed)
    parts.push('To apply: comment `infrastate apply`.');
  const links = [
    `[Run ${run.id.slice(0, 8)}](${run.runPage})`,
    ...(run.ciRun === undefined ? [] : [`[CI run](${run.ciRun})`]),
  ];
  parts.push(links.join(' · '));
  return parts.join('\n\n');
}

/** How the run ended, and why. */
function heading(run: RunText): string[] {
  const title = TITLES[run.runType] ?? 'Plan';
  if (run.error) return [`### ❌ ${title} aborted`, `\`${run.error.id}\`: ${inlineText(run.error.data)}`];
  if (run.hooksFailed) return [`### ❌ ${title} failed`, HOOK_FAILED[run.runType] ?? HOOK_FAILED.plan];
  // A comment about what a run should have found out is written only when it did not.
  const isArtifact = run.runType === 'index' || run.runType === 'build-config';
  const hasFailed = isArtifact || run.dirspaces.some(({ state }) => state === 'failure');
  return [hasFailed ? `### ❌ ${title} failed` : `### ✅ ${title} succeeded`];
}

/** What keeps the plan from being applied, or has kept the apply from it. */
function obstacles({ gates, waiting, holds, conflicts }: RunText): string[] {
  const parts: string[] = [];
  if (holds.length > 0)
    parts.push(
      [
        '**Held by others.** This plan may take back what they applied. When they no longer hold it, comment `infrastate plan`.',
        ...holds.map(holdLine),
      ].join('\n'),
    );
  if (gates.length > 0)
    parts.push(
      [
        '**Waiting for approval**',
        ...gates.map(
          ({ token, name, missing }) =>
            `- ${inlineText(name ?? token)}: ${inlineText(missing)} — comment \`infrastate gate approve ${inlineCode(token)}\``,
        ),
      ].join('\n'),
    );
  if (waiting.length > 0)
    parts.push(
      `Planned once what they depend on is applied: ${waiting.map((dir) => `\`${inlineCode(dir)}\``).join(', ')}`,
    );
  if (conflicts.length > 0)
    parts.push(
      [
        '**Changed by somebody else since the plan** (`TX_CONFLICT`); it is planned again now',
        ...conflicts.map(conflictLine),
      ].join('\n'),
    );
  return parts;
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

function table(dirspaces: readonly DirspaceText[]): string {
  return [
    '| Directory | Workspace | Result |',
    '|---|---|---|',
    ...dirspaces.map(
      ({ dir, workspace, state, summary, hasChanges }) =>
        `| \`${inlineCode(dir)}\` | \`${inlineCode(workspace)}\` | ${resultOf(state, summary, hasChanges)} |`,
    ),
  ].join('\n');
}

function resultOf(state: string, summary: DirspaceText['summary'], hasChanges: boolean | null): string {
  if (state !== 'success') return state;
  if (summary) return `\`${countsOf(summary)}\``;
  return hasChanges === false ? 'no changes' : 'success';
}

export function countsOf({ add, change, destroy }: { add: number; change: number; destroy: number }): string {
  return `+${add} ~${change} -${destroy}`;
}

/** A successful plan or apply is folded, a failure is not. */
function sectionsOf({ steps }: RunText, dirspace: DirspaceText, perOutput: number): string[] {
  return steps
    .filter((step) => step.dir === dirspace.dir && step.workspace === dirspace.workspace && isShown(step))
    .map((step) => {
      const title = `${inlineText(dirspace.dir)} (${inlineText(dirspace.workspace)}): ${step.step}`;
      const block = blockOf(step, perOutput);
      return step.state === 'failure' ? `**${title} failed**\n\n${block}` : folded(title, block);
    });
}

function hookSections({ steps }: RunText, perOutput: number): string[] {
  return steps
    .filter((step) => step.dir === null && isShown(step))
    .map((step) => {
      const title = `${step.subflow ?? 'hook'} hook ${step.step}`;
      const block = blockOf(step, perOutput);
      return step.state === 'failure' ? `**${title} failed**\n\n${block}` : folded(title, block);
    });
}

function folded(title: string, block: string): string {
  return `<details><summary>${title}</summary>\n\n${block}\n\n</details>`;
}

/** `visible_on` looks at the state of the step itself; plans and applies are always shown, other steps when they fail. */
function isShown({ step, state, payload }: StepText): boolean {
  const visible = payload?.['visible_on'];
  if (visible === 'always' || visible === state) return true;
  if (visible !== undefined) return false;
  return step === 'tf/plan' || step === 'tf/apply' || state === 'failure';
}

function blockOf({ payload }: StepText, perOutput: number): string {
  const text = cut(plainText(textOf(payload)).trim(), perOutput);
  const format = payload?.['format'];
  if (format === 'raw' || format === 'markdown') return harmlessMarkdown(text);
  const lang = langOf(format);
  return fenced(text, /^[A-Za-z0-9_+-]{0,32}$/.test(lang) ? lang : '');
}

function textOf(payload: Record<string, unknown> | null): string {
  const text = payload?.['plan'] ?? payload?.['text'];
  return typeof text === 'string' ? text : '';
}

function langOf(format: unknown): string {
  const lang: unknown =
    typeof format === 'object' && format !== null && 'lang' in format ? format.lang : undefined;
  return typeof lang === 'string' ? lang : '';
}

/** A fence longer than every run of backticks within. */
export function fenced(text: string, lang = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${lang}\n${text}\n${fence}`;
}

/** Cut at a line where there is one. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, Math.max(limit - TRUNCATED.length - 1, 0));
  const line = head.lastIndexOf('\n');
  return `${(line > limit / 2 ? head.slice(0, line) : head).replace(/[\ud800-\udbff]$/, '')}\n${TRUNCATED}`;
}

/** Without escape codes and control characters. */
export function plainText(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- escape sequences of terminals
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(\u0007|\u001b\\)|\u001b[@-_]/g, '')
      .replace(/\r\n?/g, '\n')
      // oxlint-disable-next-line no-control-regex -- what no page shows
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
  );
}

/** Markdown of a hook: it may format, and neither mention people, nor refer to issues, nor close an element of ours. */
function harmlessMarkdown(text: string): string {
  return text
    .replace(/</g, '&lt;')
    .replace(/([@#])(?=\w)/g, '$1\u200b')
    .replace(/^([`~]{3,})/gm, '\u200b$1');
}

/** For a text within a line that is no code. */
export function inlineText(text: string): string {
  return plainText(text)
    .replace(/\n+/g, ' ')
    .replace(/[\\`*_{}[\]<>|~]/g, (character) => `\\${character}`)
    .replace(/([@#])(?=\w)/g, '$1\u200b')
    .slice(0, 1000);
}

/** For a text within single backticks. */
export function inlineCode(text: string): string {
  return plainText(text).replace(/\n+/g, ' ').replace(/`/g, "'").replace(/\|/g, '\\|').slice(0, 500);
}
