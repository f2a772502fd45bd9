import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** Makes a directory and those above it, one at a time: Node's own recursive way never ends below /proc. */
export function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectory(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it in between.
    if (!isDirectory(directory)) throw error;
  }
}

/** What went wrong with a file of the data directory, as the one line for whoever set the variable. */
export function aboutDataDirectory(error: unknown, directory: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (syscall?.startsWith('spawn')) return error;
  const isOurs = path !== undefined && (path.startsWith(directory) || directory.startsWith(path));
  if (!isOurs || code === undefined) return error;
  const reason = isFile(path) ? `${path} is not a directory` : `${path} cannot be written`;
  return new EmbeddedPostgresError(
    `SERVICE_DATA_DIR is ${directory}, but ${reason} (${code}); set it to a directory that can be written`,
  );
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  try {
    return !isDirectory(path) && statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
