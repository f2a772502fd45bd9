// `npm start`: builds when a source is newer than dist/, then runs the service in this very process, so that Ctrl-C
// and the exit code are its own.
import { isSupported, unsupported } from './node-releases.mjs';

if (!isSupported(process.versions.node)) {
  process.stderr.write(`${unsupported(process.versions.node)}\n`);
  process.exit(1);
}
// Only now: what these load cannot be read by older releases.
const { createRequire } = await import('node:module');
const { build } = await import('./build.mjs');
if (!(await build())) process.exit(1);
createRequire(import.meta.url)('../dist/local.js');
