import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

interface Holder {
  pid: number;
  /** start time in clock ticks since boot, so that a reused pid is not taken for the holder; '' where unknown */
  started: string;
}

/** Claims a data directory for this process; returns how to give it back. A holder that died is no obstacle. */
export function lockDataDirectory(directory: string): () => void {
  const path = join(directory, 'instance.lock');
  const self: Holder = { pid: process.pid, started: startOf(process.pid) };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, JSON.stringify(self), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = readHolder(path);
      if (holder && isRunning(holder)) break;
      rmSync(path, { force: true });
    }
  }
  const pid = readHolder(path)?.pid;
  throw new EmbeddedPostgresError(
    `the data in ${directory} is in use by another running instance (process ${pid ?? '?'})`,
  );
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function isRunning(holder: Holder): boolean {
  return isAlive(holder.pid) && startOf(holder.pid) === holder.started;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOf(pid: number): string {
  try {
    // Field 22; the name in field 2 may hold spaces, so count from its closing bracket.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
