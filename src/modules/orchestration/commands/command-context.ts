import type { CodeEvents } from '../../vcs/index.js';

/** A comment that is a command, and where it stands. */
export type CommandContext = CodeEvents['comment'];

/** The command cannot be done; the text says to its author why, and what to do. */
export class CommandRefused extends Error {}
