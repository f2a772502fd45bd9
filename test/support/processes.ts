import { readdirSync, readFileSync } from 'node:fs';

/** Processes that the one with this id started. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statusOf(pid, 'PPid') === String(parent));
}

export function isAlive(pid: number): boolean {
  return !['', 'Z'].includes(statusOf(pid, 'State').slice(0, 1));
}

function statusOf(pid: number, line: string): string {
  try {
    return (
      new RegExp(`^${line}:\\s+(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
    );
  } catch {
    return '';
  }
}
