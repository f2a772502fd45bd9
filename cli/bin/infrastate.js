#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = join(__dirname, '..', 'dist', 'infrastate.cjs');
if (existsSync(program)) require(program);
else {
  process.stderr.write('infrastate is not built yet: run npm run build\n');
  process.exitCode = 1;
}
