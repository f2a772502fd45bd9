// `npm run code-host`: starts stand-ins of GitHub and GitLab on this machine, so that you can try pull requests
// without a code host. They are the ones that the tests use.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { build } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outfile = join(root, 'node_modules', '.cache', `code-host-${process.pid}.cjs`);

// The CI of the stand-in runs the client.
if (!(await build())) process.exit(1);
await bundle({
  entryPoints: [join(root, 'test', 'support', 'trial', 'main.ts')],
  bundle: true,
  platform: 'node',
  target: 'node20',
  packages: 'external',
  outfile,
  logLevel: 'warning',
});
process.chdir(root);
createRequire(import.meta.url)(outfile);
rmSync(outfile);
