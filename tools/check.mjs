// `npm run check`: everything that needs no server. Steps run two at a time; each prints only when it fails.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
const FORMATTED = ['src', 'cli/src', 'sdk/src/index.ts', 'test', 'tools', 'bench'];
const LINT = [
  '--type-aware',
  '--tsconfig',
  'tsconfig.check.json',
  '--deny-warnings',
  'src',
  'cli/src',
  'test',
];
/** By content: what another commit had at that time stamp does not count. */
const CACHED = ['--cache', '--cache-strategy', 'content'];
const STEPS = [
  [
    'unit tests',
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      bin('jest'),
      // Two steps run at a time already.
      '--runInBand',
      '--testPathPatterns',
      `^${root}/(cli/)?src/`,
      '--silent',
    ],
  ],
  ['lint', bin('oxlint'), LINT],
  ['types', bin('tsc'), ['-p', 'tsconfig.check.json']],
  ['format', bin('prettier'), ['--check', '--log-level', 'warn', ...CACHED, ...FORMATTED]],
  [
    'module boundaries',
    bin('depcruise'),
    ['src', 'sdk/src', 'cli/src', '--config', '.dependency-cruiser.cjs'],
  ],
  ['unused code', bin('knip'), []],
  ['generated files', process.execPath, ['tools/openapi.mjs', '--check']],
];
const AT_A_TIME = 2;
/** Each step makes and forgets much: fewer collections of what is young take a tenth off its time. */
const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`;

if (!(await build())) process.exit(1);
const started = performance.now();
const queue = [...STEPS];
const failed = [];
await Promise.all(Array.from({ length: AT_A_TIME }, work));
process.stdout.write(
  `\n${failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`} in ${((performance.now() - started) / 1000).toFixed(0)} s\n`,
);
process.exit(failed.length === 0 ? 0 : 1);

async function work() {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const [name, command, args] = step;
    const { code, output } = await run(command, args);
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
    if (code === 0) continue;
    failed.push(name);
    process.stdout.write(`${output}\n`);
  }
}

function run(command, args) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, NODE_OPTIONS, NO_COLOR: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
    // After its last output: what a step that failed says is the point of it.
    child.once('close', (code) => done({ code, output }));
  });
}
