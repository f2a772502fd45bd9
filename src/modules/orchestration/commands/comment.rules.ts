import { isMistypedCommand } from './prose.rules.js';

/** The grammar of comments (contract notes 9): a trigger word, then a command. */
export type CommentCommand =
  | DirectoryCommand
  | { name: 'unlock'; numbers: number[]; tagQuery?: string }
  | { name: 'gate approve'; token: string }
  | { name: 'help' }
  | { name: 'repo-config' }
  | { name: 'unknown'; text: string };

/** A command for the directories that a tag query selects. */
export interface DirectoryCommand {
  name: 'plan' | 'apply' | 'apply-autoapprove' | 'apply-force';
  tagQuery: string;
  /** the trigger word, in lower case */
  trigger: string;
}

const TRIGGERS = new Set(['infrastate', 'terraform', 'tofu']);
const MAX_LENGTH = 10_000;
const MAX_COMMAND_AGE_MS = 2 * 3_600_000;

/**
 * Undefined for a comment without a trigger word and for a sentence that begins with one: nobody answers it. Quoted text and code blocks begin with `>`, a
 * backtick or spaces that the trim does not take from the lines that follow, so they are never commands.
 */
export function parseComment(body: string): CommentCommand | undefined {
  if (startsWithCodeBlock(body)) return undefined;
  const line = body.slice(0, MAX_LENGTH).trim().split('\n', 1)[0]?.trim() ?? '';
  const [trigger = ''] = line.split(/\s+/, 1);
  const lower = trigger.toLowerCase();
  if (!TRIGGERS.has(lower)) return undefined;
  const command = commandOf(line.slice(trigger.length).trim(), lower);
  return command.name === 'unknown' && !isMistypedCommand(lower, command.text) ? undefined : command;
}

/**
 * A delivery is worked on for a week. What somebody wanted long ago is not done to what the pull request is now, and to
 * infrastructure that has changed since.
 */
export function isTooLate(receivedAt: Date, now: Date): boolean {
  return now.getTime() - receivedAt.getTime() > MAX_COMMAND_AGE_MS;
}

export function lateText(receivedAt: Date): string {
  return `This command came too late and was not carried out: it arrived at ${receivedAt.toISOString()}, and commands are carried out within two hours. If it is still wanted, write it again.`;
}

/** A first line that is indented by four spaces or a tab is a code block. */
function startsWithCodeBlock(body: string): boolean {
  return /^(?: {4}|\t)/.test(body.replace(/^(?:[ \t]*\r?\n)+/, ''));
}

/** `rest`: what follows the trigger word. */
function commandOf(rest: string, trigger: string): CommentCommand {
  const [word = ''] = rest.split(/\s+/, 1);
  const verb = word.toLowerCase();
  const argument = rest.slice(word.length).trim();
  switch (verb) {
    case 'plan':
    case 'apply':
    case 'apply-autoapprove':
    case 'apply-force':
      return { name: verb, tagQuery: argument, trigger };
    case 'unlock':
      return unlockOf(argument, rest);
    case 'gate':
      return gateOf(argument, rest);
    case 'help':
    case 'repo-config':
      return argument === '' ? { name: verb } : { name: 'unknown', text: rest };
    default:
      return { name: 'unknown', text: rest };
  }
}

function gateOf(argument: string, rest: string): CommentCommand {
  const [action = ''] = argument.split(/\s+/, 1);
  const token = argument.slice(action.length).trim();
  return action.toLowerCase() === 'approve' && token !== ''
    ? { name: 'gate approve', token }
    : { name: 'unknown', text: rest };
}

function unlockOf(argument: string, rest: string): CommentCommand {
  // A bare word first is no tag here: somebody may have meant something else, and a hold is not let go by mistake.
  if (/^\(*(?:not\s+)?(?:dir|workspace|environment):\S/.test(argument))
    return { name: 'unlock', numbers: [], tagQuery: argument };
  const words = argument === '' ? [] : argument.split(/[\s,]+/);
  if (!words.every((word) => /^#?\d{1,9}$/.test(word))) return { name: 'unknown', text: rest };
  return { name: 'unlock', numbers: words.map((word) => Number(word.replace('#', ''))) };
}

export const HELP = `Write a comment with one of these:

| comment | does |
|---|---|
| \`infrastate plan [tag query]\` | plans the directories that this pull request changes |
| \`infrastate apply [tag query]\` | applies what was planned for the newest commit |
| \`infrastate apply-autoapprove [tag query]\` | plans and applies in one run |
| \`infrastate apply-force [tag query]\` | applies without the requirements and gates |
| \`infrastate unlock [number…]\` | releases the directories that this pull request holds, or the given ones hold |
| \`infrastate unlock <tag query>\` | releases those that match, also what a drift run still holds elsewhere in the repository |
| \`infrastate gate approve <token>\` | approves a gate |
| \`infrastate repo-config\` | shows the configuration that counts here |
| \`infrastate help\` | shows this |

A tag query selects directories: \`dir:network\`, \`workspace:prod\`, \`environment:live\` or a tag, with \`and\`, \`or\`, \`not\`.`;
