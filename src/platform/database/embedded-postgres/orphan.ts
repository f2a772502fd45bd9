import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './data-lock.js';

const PATIENCE_MS = 20_000;

/**
 * After `kill -9` of the service its PostgreSQL lives on, or its pid file does. Only called by the holder of the data
 * lock, so nobody uses that server any more: it is asked to end, and a file without a server is removed.
 */
export async function endOrphan(pgData: string): Promise<void> {
  const path = join(pgData, 'postmaster.pid');
  const pid = pidIn(path);
  if (pid === undefined) return;
  if (isPostgresOf(pid, pgData)) {
    process.kill(pid, 'SIGINT');
    for (let waited = 0; isAlive(pid) && waited < PATIENCE_MS; waited += 50) await delay(50);
  }
  rmSync(path, { force: true });
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** The pid may belong to anything by now; elsewhere than on Linux PostgreSQL's own check has to do. */
function isPostgresOf(pid: number, pgData: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return (words[0] ?? '').endsWith('postgres') && words.includes(pgData);
  } catch {
    return false;
  }
}
