// Builds dist/ when a source is newer than it. Several builds at once wait for each other.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist', '.built');
const lock = join(root, 'node_modules', '.cache', 'build.lock');

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return path.endsWith('.spec.ts') ? 0 : stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}

function isCurrent() {
  if (!existsSync(stamp)) return false;
  const sources = ['src', 'tsconfig.json', 'nest-cli.json', 'package.json'].map((name) =>
    newest(join(root, name)),
  );
  return Math.max(...sources) <= statSync(stamp).mtimeMs;
}

/** Files in dist/ whose source is gone would still be loaded by name. */
function removeOrphans(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeOrphans(path);
    else if (/\.(js|js\.map|d\.ts)$/.test(entry.name)) {
      const source = path
        .replace(join(root, 'dist'), join(root, 'src'))
        .replace(/\.(js|js\.map|d\.ts)$/, '.ts');
      if (!existsSync(source)) rmSync(path);
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function acquire() {
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch {
      const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
      if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

/** True when dist/ is up to date afterwards. */
export function build() {
  if (isCurrent()) return true;
  acquire();
  try {
    if (isCurrent()) return true;
    const begun = new Date();
    const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
    const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: 'inherit' });
    if (status !== 0) return false;
    removeOrphans(join(root, 'dist'));
    writeFileSync(stamp, begun.toISOString());
    // A source saved during the build counts as newer than it.
    utimesSync(stamp, begun, begun);
    return true;
  } finally {
    rmSync(lock, { force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) process.exit(build() ? 0 : 1);
