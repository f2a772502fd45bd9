import type { Command } from 'commander';
import type { Context } from '../context/context.js';

/** What a command does; answers its exit code, 0 when it answers nothing. */
export type Action<Options> = (
  context: Context,
  args: readonly string[],
  options: Options,
) => Promise<number | void>;

/** Makes commander's handler of an action: opens the context, reports failures, keeps the exit code. */
export type Run = <Options = Record<string, never>>(
  action: Action<Options>,
) => (...parameters: unknown[]) => Promise<void>;

/** Adds a command, or a family of them, to the program. */
export type RegisterCommand = (program: Command, run: Run) => void;
