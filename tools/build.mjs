// Builds the service (dist/), its client (sdk/dist, cli/dist) and its console (console/dist), each when a source is newer than what was built.
// Several builds at once wait for each other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
const PARTS = [
  {
    name: 'service',
    sources: ['src', 'tsconfig.json', 'nest-cli.json', 'package.json'],
    commands: [['node_modules/@nestjs/cli/bin/nest.js', 'build']],
    outputs: [{ built: 'dist', from: 'src' }],
  },
  {
    name: 'client',
    sources: [
      'sdk/src',
      'sdk/tsconfig.json',
      'sdk/tsconfig.esm.json',
      'cli/src',
      'cli/http-globals.mjs',
      'cli/tsconfig.json',
      'tsconfig.json',
      'package.json',
      'tools/build.mjs',
    ],
    commands: [
      ['node_modules/typescript/bin/tsc', '-b', 'cli'],
      ['node_modules/typescript/bin/tsc', '-p', 'sdk/tsconfig.esm.json'],
      ['tools/sdk-module.mjs'],
      // One file is loaded in half the time of a hundred: most of what a short command takes.
      [
        'node_modules/esbuild/bin/esbuild',
        'cli/dist/main.js',
        '--bundle',
        '--platform=node',
        '--target=node20',
        '--log-level=warning',
        // In the place of Node's own fetch, which takes a tenth of a second to load.
        '--inject:cli/http-globals.mjs',
        '--outfile=cli/dist/infrastate.cjs',
      ],
    ],
    outputs: [
      { built: 'cli/dist', from: 'cli/src' },
      { built: 'sdk/dist', from: 'sdk/src' },
      { built: 'sdk/esm', from: 'sdk/src' },
    ],
  },
  {
    name: 'console',
    sources: [
      'console/src',
      'console/index.html',
      'console/vite.config.ts',
      'console/package.json',
      'docs/sql.md',
      'tools/console-assets.mjs',
    ],
    commands: [
      ['node_modules/vite/bin/vite.js', 'build', 'console', '--logLevel', 'error'],
      ['tools/console-assets.mjs'],
    ],
    outputs: [{ built: 'console/dist' }],
  },
];
const stampOf = ({ outputs }) => join(root, outputs[0].built, '.built');
const lock = join(root, 'node_modules', '.cache', 'build.lock');

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return /\.spec\.tsx?$/.test(path) ? 0 : stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}

function isCurrent(part) {
  if (!existsSync(stampOf(part))) return false;
  const sources = part.sources.map((name) => newest(join(root, name)));
  return Math.max(...sources) <= statSync(stampOf(part)).mtimeMs;
}

/** Built files whose source is gone would still be loaded by name. */
function removeOrphans({ built, from }, folder = join(root, built)) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeOrphans({ built, from }, path);
    else if (/\.(js|js\.map|d\.ts)$/.test(entry.name)) {
      const source = path
        .replace(join(root, built), join(root, from))
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

async function make(part) {
  const begun = new Date();
  for (const [script, ...args] of part.commands) {
    const compiler = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      stdio: 'inherit',
    });
    const [status] = await once(compiler, 'exit');
    if (status !== 0) return false;
  }
  // What is bundled has no file for each source; its bundler empties the folder.
  for (const output of part.outputs) if (output.from) removeOrphans(output);
  writeFileSync(stampOf(part), begun.toISOString());
  // A source saved during the build counts as newer than it.
  utimesSync(stampOf(part), begun, begun);
  return true;
}

/** True when everything, or only the service, is up to date afterwards. */
export async function build({ only } = {}) {
  const parts = PARTS.filter(({ name }) => only === undefined || name === only);
  if (parts.every(isCurrent)) return true;
  process.stdout.write('building, which takes up to a minute...\n');
  acquire();
  try {
    const made = await Promise.all(parts.filter((part) => !isCurrent(part)).map(make));
    return made.every(Boolean);
  } finally {
    rmSync(lock, { force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exit((await build()) ? 0 : 1);
