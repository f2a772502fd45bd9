// `npm run check`: everything that needs no server. Steps run two at a time; each prints only when it fails.
// `--no-unit-tests` leaves these to `npm test`, where it runs next.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
const FORMATTED = [
  'src',
  'cli/src',
  'sdk/src/index.ts',
  'console/src',
  'console/vite.config.ts',
  'test',
  'tools',
  'bench',
];
const LINT = [
  '--type-aware',
  '--tsconfig',
  'tsconfig.check.json',
  '--deny-warnings',
  'src',
  'cli/src',
  'test',
];
const CONSOLE_LINT = [
  '--type-aware',
  '--tsconfig',
  'console/tsconfig.json',
  '--deny-warnings',
  'console/src',
];
const jest = (folder) => [
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    bin('jest'),
    // Two steps run at a time already.
    '--runInBand',
    '--testPathPatterns',
    `^${root}/${folder}/`,
    '--silent',
  ],
];
const BUILD = ['build', process.execPath, ['tools/build.mjs']];
/** Needs nothing that is built, and takes longest: it runs beside all others. */
const UNIT_TESTS = ['unit tests', ...jest('src')];
const MORE_UNIT_TESTS = [
  ['unit tests of the client', ...jest('cli/src')],
  ['unit tests of the console', ...jest('console/src')],
];
const CHECKS = [
  ['lint', bin('oxlint'), LINT],
  // The native compiler; by its own path, for the link in .bin can be either's.
  ['types', process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.check.json']],
  ['lint of the console', bin('oxlint'), CONSOLE_LINT],
  [
    'types of the console',
    process.execPath,
    ['node_modules/typescript-native/bin/tsc', '-p', 'console/tsconfig.json'],
  ],
  ['format', bin('oxfmt'), ['--check', ...FORMATTED]],
  [
    'module boundaries',
    bin('depcruise'),
    ['src', 'sdk/src', 'cli/src', '--config', '.dependency-cruiser.cjs'],
  ],
  [
    'module boundaries of the console',
    bin('depcruise'),
    ['console/src', '--config', 'console/.dependency-cruiser.cjs'],
  ],
  ['rules of the code', process.execPath, ['tools/code-rules.mjs']],
  ['unused code', bin('knip'), []],
  ['generated files', process.execPath, ['tools/openapi.mjs', '--check']],
  ['API description', process.execPath, ['tools/lint-description.mjs']],
  ['package of the SDK', process.execPath, ['tools/sdk-package.mjs']],
];
/** Each step makes and forgets much: fewer collections of what is young take a tenth off its time. */
const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`;

const started = performance.now();
const failed = [];
if (process.argv.includes('--no-unit-tests')) await afterBuild(inTwo(CHECKS));
else await Promise.all([step(UNIT_TESTS), afterBuild([[...MORE_UNIT_TESTS, ...CHECKS]])]);
process.stdout.write(
  `\n${failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`} in ${((performance.now() - started) / 1000).toFixed(0)} s\n`,
);
process.exit(failed.length === 0 ? 0 : 1);

/** Each row of steps one after the other, the rows beside each other. */
async function afterBuild(rows) {
  if (!(await step(BUILD))) return;
  await Promise.all(rows.map(inTurn));
}

function inTwo(steps) {
  return [0, 1].map((row) => steps.filter((_step, index) => index % 2 === row));
}

async function inTurn(steps) {
  for (const each of steps) await step(each);
}

/** Whether it passed. */
async function step([name, command, args]) {
  const { code, output } = await run(command, args);
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
  if (code === 0) return true;
  failed.push(name);
  process.stdout.write(`${output}\n`);
  return false;
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
