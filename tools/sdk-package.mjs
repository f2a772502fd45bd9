// Checks the SDK as its users install it: packs it, then looks for what publint and arethetypeswrong find, and for a version other than the API's.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sdk = join(root, 'sdk');
const bin = (...path) => join(root, 'node_modules', ...path);
const REQUIRED_FILES = ['LICENSE', 'CHANGELOG.md', 'README.md', 'dist/index.js', 'esm/index.js'];

const folder = mkdtempSync(join(tmpdir(), 'sdk-package-'));
try {
  const problems = [...versionProblems(), ...packageProblems()];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function versionProblems() {
  const { version } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
  const { info } = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'));
  const changes = readFileSync(join(sdk, 'CHANGELOG.md'), 'utf8');
  return [
    ...(version === info.version ? [] : [`the SDK has version ${version}, the API ${info.version}`]),
    ...(changes.includes(`\n## ${version}\n`) ? [] : [`sdk/CHANGELOG.md has no entry for ${version}`]),
  ];
}

function packageProblems() {
  const packed = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: sdk,
    encoding: 'utf8',
  });
  if (packed.status !== 0) return [`npm pack failed: ${packed.stderr}`];
  const [{ filename, files }] = JSON.parse(packed.stdout);
  const names = new Set(files.map(({ path }) => path));
  const missing = REQUIRED_FILES.filter((name) => !names.has(name)).map(
    (name) => `${name} is not in the package`,
  );
  const tarball = join(folder, filename);
  return [
    ...missing,
    ...outputOfFailure([bin('publint', 'src', 'cli.js'), '--strict', tarball]),
    ...outputOfFailure([
      bin('@arethetypeswrong', 'cli', 'dist', 'index.js'),
      '--no-emoji',
      '--no-color',
      tarball,
    ]),
  ];
}

function outputOfFailure(command) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: sdk, encoding: 'utf8' });
  return status === 0 ? [] : [`${stdout}${stderr}`];
}
