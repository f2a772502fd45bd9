import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDirectory } from './data-lock.js';
import { blockedDirectory } from './run-as.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-directory-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a data directory', () => {
  it('names the outermost directory that the database user may not enter', () => {
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    const stranger = 4_000_000;
    expect(blockedDirectory(join(folder, 'a', 'b'), stranger)).toBeUndefined();
    chmodSync(join(folder, 'a', 'b'), 0o700);
    chmodSync(join(folder, 'a'), 0o750);
    expect(blockedDirectory(join(folder, 'a', 'b'), stranger)).toBe(join(folder, 'a'));
  });

  it('belongs to one process at a time', () => {
    const release = lockDataDirectory(folder);
    expect(() => lockDataDirectory(folder)).toThrow(
      `in use by another running instance (process ${process.pid})`,
    );
    release();
    expect(existsSync(join(folder, 'instance.lock'))).toBe(false);
  });

  it.each([
    ['a process that has ended', () => JSON.stringify({ pid: spawnSync('true').pid, started: '1' })],
    [
      'a process whose number somebody else has now',
      () => JSON.stringify({ pid: process.pid, started: '1' }),
    ],
    ['a file cut short', () => '{"pid"'],
  ])('is taken over from %s', (_, holder) => {
    writeFileSync(join(folder, 'instance.lock'), holder());
    const release = lockDataDirectory(folder);
    const taken = JSON.parse(readFileSync(join(folder, 'instance.lock'), 'utf8')) as { pid: number };
    expect(taken.pid).toBe(process.pid);
    release();
  });
});
