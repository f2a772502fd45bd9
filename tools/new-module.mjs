// `npm run new:module -- <name> [tier]`: makes a module that passes every rule, to be filled with a feature.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TIERS } from './tiers.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [name = '', tierText = String(TIERS.length - 1)] = process.argv.slice(2);
const tier = Number(tierText);

if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) fail('the name must be kebab-case, such as "price-alerts"');
if (!Number.isInteger(tier) || tier < 2 || tier > TIERS.length) fail(`the tier must be 2 to ${TIERS.length}`);
const folder = join(root, 'src', 'modules', name);
if (existsSync(folder)) fail(`src/modules/${name} exists`);

const pascal = name.replace(/(^|-)(\w)/g, (_all, _dash, letter) => letter.toUpperCase());
const camel = pascal[0].toLowerCase() + pascal.slice(1);
const upper = name.replaceAll('-', '_').toUpperCase();

const FILES = {
  'index.ts': `export { ${pascal}Module } from './${name}.module.js';\n`,
  [`${name}.module.ts`]: `import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { ${pascal}Controller } from './${name}.controller.js';
import { ${pascal}Service } from './${name}.service.js';

/** Describe the module in one sentence: docs/module-map.md shows it. */
@Module({
  imports: [AccessModule],
  controllers: [${pascal}Controller],
  providers: [${pascal}Service],
})
export class ${pascal}Module {}
`,
  [`${name}.errors.ts`]: `import { defineErrors } from '../../platform/errors/index.js';

export const ${camel}Errors = defineErrors({
  ${upper}_NOT_FOUND: [404, '${name} not found'],
});
`,
  [`${name}.service.ts`]: `import { Injectable } from '@nestjs/common';
import type { ${pascal}View } from './dto/${name}.dto.js';
import { ${camel}Errors } from './${name}.errors.js';

@Injectable()
export class ${pascal}Service {
  find(tenantId: string): ${pascal}View {
    if (tenantId === '') throw ${camel}Errors.${upper}_NOT_FOUND();
    return { tenant_id: tenantId };
  }
}
`,
  [`${name}.controller.ts`]: `import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Requires } from '../access/index.js';
import { ${pascal}View } from './dto/${name}.dto.js';
import { ${pascal}Service } from './${name}.service.js';

@ApiTags('${name}')
@Controller('tenants/:tenantId/${name}')
export class ${pascal}Controller {
  constructor(private readonly ${camel}: ${pascal}Service) {}

  /** Say in one line what the operation answers: it is the summary in the API description. */
  @Get()
  @Requires('preview', { tenant: 'tenantId' })
  @Answers(200, ${pascal}View)
  @Refuses(404)
  get(@Param('tenantId') tenantId: string): ${pascal}View {
    return this.${camel}.find(tenantId);
  }
}
`,
  [`dto/${name}.dto.ts`]: `export class ${pascal}View {
  /** the tenant the answer is about */
  tenant_id: string;
}
`,
  [`${name}.service.spec.ts`]: `import { ${pascal}Service } from './${name}.service.js';

describe('${pascal}Service', () => {
  it('answers with the tenant it was asked about', () => {
    expect(new ${pascal}Service().find('t')).toEqual({ tenant_id: 't' });
  });

  it('refuses an empty tenant', () => {
    expect(() => new ${pascal}Service().find('')).toThrow('not found');
  });
});
`,
};

for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
addToTier();
addToApplication();
process.stdout.write(`made src/modules/${name} in tier ${tier}; CONTRIBUTING.md says what comes next\n`);

function addToTier() {
  if (TIERS.flat().includes(name)) return;
  const path = join(root, 'tools', 'tiers.mjs');
  const lines = readFileSync(path, 'utf8').split('\n');
  const first = lines.findIndex((line) => /^ {2}\[/.test(line));
  lines[first + tier - 1] = lines[first + tier - 1].replace(/\],$/, `, '${name}'],`);
  writeFileSync(path, lines.join('\n'));
}

function addToApplication() {
  const path = join(root, 'src', 'app', 'modules.ts');
  const text = readFileSync(path, 'utf8');
  const line = `import { ${pascal}Module } from '../modules/${name}/index.js';\n`;
  const lastImport = text.lastIndexOf('\nimport ');
  const end = text.indexOf('\n', lastImport + 1) + 1;
  const withImport = text.slice(0, end) + line + text.slice(end);
  writeFileSync(path, withImport.replace(/\n\];/, `\n  ${pascal}Module,\n];`));
}

function fail(why) {
  process.stderr.write(`${why}\nusage: npm run new:module -- <name> [tier]\n`);
  process.exit(64);
}
