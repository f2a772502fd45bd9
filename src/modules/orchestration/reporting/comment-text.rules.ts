/** Texts of comments. What a run prints never leaves its block, mentions nobody and closes no issue. */
import { plainText, withoutEntities } from '../planning/inline-text.rules.js';

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

export const TRUNCATED = '… cut here; the whole output is on the page of the run';
const CUT_OFF = '… cut here';

export function countsOf({ add, change, destroy }: { add: number; change: number; destroy: number }): string {
  return `+${add} ~${change} -${destroy}`;
}

/**
 * A fence longer than every run of backticks within. GitLab reads fences of its own when it looks for quick actions, so no
 * line of the text begins with a slash.
 */
export function fenced(whole: string, lang = ''): string {
  const text = whole.replace(/^\//gm, ' /');
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${lang}\n${text}\n${fence}`;
}

/** A text of at most `limit` characters that leaves no fence open. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept: string[] = [];
  let room = limit - CUT_OFF.length - 2;
  let open = '';
  for (const line of text.split('\n')) {
    const fence = /^`{3,}/.exec(line)?.[0] ?? '';
    const next = open === '' ? fence : line === open ? '' : open;
    const closing = next === '' ? 0 : next.length + 1;
    if (line.length + 1 + closing > room) {
      // A part of the line, unless the line opens or closes a block.
      const part = room - 1 - (open === '' ? 0 : open.length + 1);
      if (next === open && part > 0) kept.push(line.slice(0, part).replace(/[\ud800-\udbff]$/, ''));
      break;
    }
    kept.push(line);
    room -= line.length + 1;
    open = next;
  }
  if (open !== '') kept.push(open);
  return [...kept, '', CUT_OFF].join('\n');
}

/** Cut at a line where there is one. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, Math.max(limit - TRUNCATED.length - 1, 0));
  const line = head.lastIndexOf('\n');
  return `${(line > limit / 2 ? head.slice(0, line) : head).replace(/[\ud800-\udbff]$/, '')}\n${TRUNCATED}`;
}

/** What may stand before the first word of a line: blanks, marks of quotes and of lists. */
const LINE_START = /^((?:[ \t]|>|[*+-][ \t]|\d+[.)][ \t])*)\//gm;

/**
 * Markdown of a hook: it may format, and neither mention people, nor refer to issues, nor close an element of ours, nor
 * begin a line with a slash: `/approve` would be done with the rights of the service.
 */
export function harmlessMarkdown(text: string): string {
  return withoutEntities(text)
    .replace(LINE_START, '$1\\/')
    .replace(/</g, '&lt;')
    .replace(/([@#])(?=\w)/g, '$1\u200b')
    .replace(/[`~]{3,}/g, '\u200b$&');
}

/** For a text within an element: its line is HTML, in which a backslash escapes nothing. */
export function htmlText(text: string): string {
  return plainText(text)
    .replace(/\n+/g, ' ')
    .slice(0, 1000)
    .replace(/([@#])(?=\w)/g, '$1\u200b')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
