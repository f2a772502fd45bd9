import { createHash } from 'node:crypto';
import { inlineCode, plainText } from '../planning/inline-text.rules.js';
import { countsOf, type DirspaceText, fenced, htmlText } from './comment-text.rules.js';

export const DRIFT_LABEL = 'infrastate-drift';
const MAX_PLAN_CHARACTERS = 10_000;
const MAX_BODY_CHARACTERS = 50_000;
/** As `lineOf` writes it. */
const LINE = /^- `[^`]+` \(`[^`]+`\)$/;
const MARK = /<!-- infrastate-drift ([0-9a-f]{32}) ([0-9a-f]{32}) -->/;

export type DriftGrouping = 'all' | 'dirspace';
/** A dirspace that was looked at. */
export interface DriftDirspace extends Pick<
  DirspaceText,
  'dir' | 'workspace' | 'state' | 'hasChanges' | 'summary'
> {
  plan: string;
}
export interface DriftRun {
  repo: string;
  /** of the schedule: runs of the same one, in the same environment, replace each other's issues */
  tagQuery: string;
  /** null: none */
  environment: string | null;
  runPage: string;
  dirspaces: readonly DriftDirspace[];
}
export interface OpenIssue {
  number: number;
  body: string;
}
export interface DriftIssueChanges {
  create: { title: string; body: string }[];
  close: number[];
}

/**
 * One issue for the run, or for each dirspace; none when an open one says the same; closed when the drift is gone. What
 * the run could not look at may still differ: an issue that names such a dirspace stays, or its successor names it too.
 */
export function driftIssueChanges(
  open: readonly OpenIssue[],
  run: DriftRun,
  grouping: DriftGrouping,
): DriftIssueChanges {
  const changes: DriftIssueChanges = { create: [], close: [] };
  for (const group of groupsOf(run, grouping)) {
    const differing = group.dirspaces.filter(({ state, hasChanges }) => state === 'success' && hasChanges);
    const ours = open.filter(({ body }) => isAbout(body, group));
    const unseen = unseenLines(ours, group);
    const isGone = unseen.length === 0 && group.dirspaces.every(({ state }) => state === 'success');
    if (differing.length === 0) {
      if (isGone) changes.close.push(...ours.map(({ number }) => number));
      continue;
    }
    const plans = differing.map(({ dir, workspace, plan }) => [dir, workspace, plan]);
    const content = digest(unseen.length === 0 ? plans : [plans, unseen]);
    if (ours.some(({ body }) => MARK.exec(body)?.[2] === content)) continue;
    changes.close.push(...ours.map(({ number }) => number));
    changes.create.push({
      title: titleOf(group.title),
      body: bodyOf(run, { differing, unseen }, `<!-- infrastate-drift ${group.key} ${content} -->`),
    });
  }
  return changes;
}

/** Lines of dirspaces that the issues name and the run has not looked at: held, failed, or of another place to run. */
function unseenLines(ours: readonly OpenIssue[], { dirspaces }: Group): string[] {
  const seen = new Set(dirspaces.filter(({ state }) => state === 'success').map(lineOf));
  const named = new Set(ours.flatMap(({ body }) => namedLines(body)));
  return [...named].filter((line) => !seen.has(line)).sort();
}

/** Plans come after the lists, and may contain anything. */
function namedLines(body: string): string[] {
  const lines = body.split(/\r?\n/);
  const end = lines.findIndex((line) => line.startsWith('<details>') || line.startsWith('[Run]('));
  return lines.slice(0, Math.max(0, end)).filter((line) => LINE.test(line));
}

/** Older versions had one key for all environments of a schedule: the directories of an issue tell whose it is. */
function isAbout(body: string, { key, olderKey, dirspaces }: Group): boolean {
  const found = MARK.exec(body)?.[1];
  if (found === undefined || found !== olderKey) return found === key;
  const lines = new Set(body.split(/\r?\n/));
  return dirspaces.some((dirspace) => lines.has(lineOf(dirspace)));
}

interface Group {
  key: string;
  olderKey?: string;
  title: string;
  dirspaces: readonly DriftDirspace[];
}

function groupsOf({ repo, tagQuery, environment, dirspaces }: DriftRun, grouping: DriftGrouping): Group[] {
  if (grouping === 'all') {
    const title = environment === null ? repo : `${repo} (${environment})`;
    const [key, olderKey] = [digest(['all', tagQuery, environment]), digest(['all', tagQuery])];
    return [{ key, olderKey, title, dirspaces }];
  }
  return dirspaces.map((dirspace) => ({
    key: digest(['dirspace', dirspace.dir, dirspace.workspace]),
    title: `${dirspace.dir} (${dirspace.workspace})`,
    dirspaces: [dirspace],
  }));
}

function titleOf(what: string): string {
  return `Drift: ${plainText(what).replace(/\s+/g, ' ')}`.slice(0, 200);
}

function bodyOf(
  { runPage }: DriftRun,
  { differing, unseen }: { differing: readonly DriftDirspace[]; unseen: readonly string[] },
  mark: string,
): string {
  const sections = differing.map(({ dir, workspace, plan, summary }) =>
    `<details><summary>${htmlText(dir)} (${htmlText(workspace)})</summary>\n\n${fenced(shortened(plainText(plan).trim()))}\n\n</details>`.replace(
      '</summary>',
      `${summary ? ` ${countsOf(summary)}` : ''}</summary>`,
    ),
  );
  const head = ['The infrastructure differs from the default branch in:', differing.map(lineOf).join('\n')];
  if (unseen.length > 0) head.push('It differed here, and the run did not look again:', unseen.join('\n'));
  const foot = [`[Run](${runPage}). This issue is closed when the difference is gone.`, mark];
  const room = MAX_BODY_CHARACTERS - [...head, ...foot].join('\n\n').length;
  const kept: string[] = [];
  for (const section of sections)
    if (kept.join('\n\n').length + section.length + 2 <= room) kept.push(section);
  return [...head, ...kept, ...foot].join('\n\n');
}

function lineOf({ dir, workspace }: Pick<DriftDirspace, 'dir' | 'workspace'>): string {
  return `- \`${inlineCode(dir)}\` (\`${inlineCode(workspace)}\`)`;
}

function shortened(text: string): string {
  return text.length <= MAX_PLAN_CHARACTERS ? text : `${text.slice(0, MAX_PLAN_CHARACTERS)}\n… cut here`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
