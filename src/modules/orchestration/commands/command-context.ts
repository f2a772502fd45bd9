import type { CodeEvents } from '../../vcs/index.js';
import type { CommentTimes } from './written-comment.rules.js';

/** A comment that is a command, and where it stands. */
export type CommandContext = CodeEvents['comment'];

export function timesOf({ comment, receivedAt }: CommandContext): CommentTimes {
  return { createdAt: comment.createdAt, receivedAt };
}

/** What a command is known by in the runs that it asks for. */
export function triggerOf({ comment }: CommandContext): string {
  return `comment:${comment.id}`;
}

/** The command cannot be done; the text says to its author why, and what to do. */
export class CommandRefused extends Error {}

/** Nothing is there to be done; what asks for it by itself stays silent. */
export class NothingToDo extends CommandRefused {}
