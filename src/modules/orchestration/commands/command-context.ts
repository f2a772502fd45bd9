import type { CodeEvents } from '../../vcs/index.js';

/** A comment that is a command, and where it stands. */
export type CommandContext = CodeEvents['comment'];

/** What a command is known by in the runs that it asks for. */
export function triggerOf({ comment }: CommandContext): string {
  return `comment:${comment.id}`;
}

/** The command cannot be done; the text says to its author why, and what to do. */
export class CommandRefused extends Error {}
