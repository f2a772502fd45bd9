// Writes docs/openapi.json, docs/module-map.md, docs/errors.md, docs/checks.md, .env.example, the README's table of variables and the
// sources of both clients from the built application; `--check` only compares. No database.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { moduleMap } from './module-map.mjs';
import { checkReference, environmentExample, errorReference, withConfigurationTable } from './reference.mjs';
import { repeatedSchemaNames } from './schema-names.mjs';
import { CONSOLE_FOLDER, consoleSources, SDK_FOLDER, sdkSources } from './sdk.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const checking = process.argv.includes('--check');

// Both clients are built from what is generated here: they may not compile yet.
if (!(await build({ only: 'service' }))) process.exit(1);
createRequire(import.meta.url)('reflect-metadata');
const repeated = repeatedSchemaNames(join(root, 'dist'));
if (repeated.length > 0) {
  process.stdout.write(`${repeated.join('\n')}\n`);
  process.exit(1);
}
const { describeOffline } = createRequire(import.meta.url)('../dist/app/description.js');
const document = await describeOffline();
const { documentedErrors } = createRequire(import.meta.url)('../dist/platform/errors/index.js');
const { environmentSchema } = createRequire(import.meta.url)('../dist/platform/config/index.js');
const { CheckRegistry } = createRequire(import.meta.url)('../dist/modules/security/engine/check-registry.js');
const { readsOf } = createRequire(import.meta.url)(
  '../dist/modules/security/engine/condition-evaluation.rules.js',
);
const { configJsonSchema } = createRequire(import.meta.url)('../dist/modules/repo-config/index.js');
const outputs = {
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  'docs/module-map.md': moduleMap(root, document),
  'docs/errors.md': errorReference(documentedErrors()),
  'docs/checks.md': checkReference(new CheckRegistry(), readsOf),
  '.env.example': environmentExample(environmentSchema),
  'README.md': withConfigurationTable(readFileSync(join(root, 'README.md'), 'utf8'), environmentSchema),
  ...(await sdkSources(root, document)),
  ...(await consoleSources(root, document)),
};
let drift = false;
const generated = [...filesBelow(SDK_FOLDER), ...filesBelow(CONSOLE_FOLDER)];
for (const name of generated.filter((name) => !(name in outputs))) {
  if (checking) {
    process.stdout.write(`${name} is no longer generated; run npm run openapi\n`);
    drift = true;
  } else rmSync(join(root, name));
}
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

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
