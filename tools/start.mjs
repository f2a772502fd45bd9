// `npm start`: builds when a source is newer than dist/, then runs the service in this very process, so that Ctrl-C
// and the exit code are its own.
import { createRequire } from 'node:module';
import { build } from './build.mjs';

if (!(await build())) process.exit(1);
createRequire(import.meta.url)('../dist/local.js');
