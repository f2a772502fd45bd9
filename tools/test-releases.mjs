// `npm run test:releases`: RELEASE_SUITES on each of TESTED_RELEASES. The registry's package `node` brings the binaries.
// Arguments are releases to test instead, such as 22 or 24.11.0.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { RELEASE_SUITES, TESTED_RELEASES } from './node-releases.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const releases = process.argv.length > 2 ? process.argv.slice(2) : TESTED_RELEASES;

if (!(await build())) process.exit(1);
const failed = [];
for (const release of releases) {
  process.stdout.write(`\nNode.js ${release}\n`);
  if (!(await passesOn(release))) failed.push(release);
}
if (failed.length > 0) process.stdout.write(`failed on Node.js ${failed.join(', ')}\n`);
process.exit(failed.length === 0 ? 0 : 1);

async function passesOn(release) {
  const tests = ['tools/test.mjs', '--no-build', '--testPathPatterns', ...RELEASE_SUITES];
  // The package links the binary of this machine in its install script.
  const command = [
    'exec',
    '--yes',
    '--ignore-scripts=false',
    `--package=node@${release}`,
    '--',
    'node',
    ...tests,
  ];
  const child = spawn('npm', command, { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}
