import type { RegisterCommand } from './commands/command.js';
import { registerWhoami } from './commands/whoami.command.js';

/** Every command, in the order `--help` shows them. */
export const COMMANDS: readonly RegisterCommand[] = [registerWhoami];
