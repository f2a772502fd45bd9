// Writes docs/openapi.json, docs/module-map.md, docs/errors.md, .env.example and the README's table of variables from the
// built application; `--check` only compares. No database.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { moduleMap } from './module-map.mjs';
import { environmentExample, errorReference, withConfigurationTable } from './reference.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const checking = process.argv.includes('--check');

if (!build()) process.exit(1);
createRequire(import.meta.url)('reflect-metadata');
const { describeOffline } = createRequire(import.meta.url)('../dist/app/description.js');
const document = await describeOffline();
const { documentedErrors } = createRequire(import.meta.url)('../dist/platform/errors/index.js');
const { environmentSchema } = createRequire(import.meta.url)('../dist/platform/config/index.js');
const outputs = {
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/module-map.md': moduleMap(root, document),
  'docs/errors.md': errorReference(documentedErrors()),
  '.env.example': environmentExample(environmentSchema),
  'README.md': withConfigurationTable(readFileSync(join(root, 'README.md'), 'utf8'), environmentSchema),
};
let drift = false;
for (const [name, text] of Object.entries(outputs)) {
  const path = join(root, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (checking) {
    process.stdout.write(`${name} is not what the code says; run npm run openapi\n`);
    drift = true;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
process.exit(drift ? 1 : 0);
