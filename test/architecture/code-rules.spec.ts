import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const COMPILER = {
  compilerOptions: {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'ES2023',
    experimentalDecorators: true,
  },
};

/** A project with nothing but the planted files and the rules of this one. */
function planted(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  const rules = [
    '.dependency-cruiser.cjs',
    'console/.dependency-cruiser.cjs',
    '.oxlintrc.json',
    'package.json',
  ];
  for (const name of ['tools', ...rules]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'cli', 'src'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function outputOf(files: Readonly<Record<string, string>>, command: string, args: string[]): string {
  const folder = planted(files);
  try {
    const { stdout, stderr } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The names of the rules that dependency-cruiser finds broken, in order. */
function brokenRules(files: Readonly<Record<string, string>>, args: string[]): string[] {
  const output = outputOf(files, join(ROOT, 'node_modules', '.bin', 'depcruise'), args);
  return [...new Set([...output.matchAll(/error ([\w-]+):/g)].map(([, rule = '']) => rule))].sort();
}

describe('The rules of the code', () => {
  it('refuse each violation of a boundary that is planted', () => {
    const files = {
      'src/platform/clock.ts': `import { x } from '../modules/states/index.js'; export const y = x;`,
      'src/modules/states/index.ts': `export { x } from './chunks/x.js';`,
      'src/modules/states/chunks/x.ts': `import { z } from '../writing/z.js'; export const x = z;`,
      'src/modules/states/writing/z.ts': `import { t } from '../../transactions/index.js'; export const z = t;`,
      'src/modules/transactions/index.ts': `export const t = 1;`,
      'src/modules/transactions/deep.ts': `import { x } from '../states/chunks/x.js'; export const d = x;`,
      'src/modules/nowhere/n.ts': `import { t } from '../transactions/index.js'; export const n = t;`,
      'src/modules/kv/kv.controller.ts': `import { DataSource } from 'typeorm'; export const c = DataSource;`,
      'src/modules/kv/kv.rules.ts': `import { Injectable } from '@nestjs/common'; export const r = Injectable;`,
      'src/modules/kv/index.ts': `export const k = 1;`,
      'src/modules/kv/own.ts': `import { k } from './index.js'; export const o = k;`,
      'src/modules/kv/composed.ts': `import { a } from '../../app/a.js'; export const c = a;`,
      'src/app/a.ts': `import { s } from '../../cli/src/s.js'; export const a = s;`,
      'src/platform/one.ts': `import { two } from './two.js'; export const one = (): number => two();`,
      'src/platform/two.ts': `import { one } from './one.js'; export const two = (): number => one();`,
      'cli/src/s.ts': `import { d } from '../../sdk/src/deep.js'; export const s = d;`,
      'cli/src/t.ts': `import { a } from '../../src/app/a.js'; export const t = a;`,
      'sdk/src/deep.ts': `import { a } from '../../src/app/a.js'; export const d = a;`,
    };
    expect(brokenRules(files, ['src', 'sdk/src', 'cli/src', '--config', '.dependency-cruiser.cjs'])).toEqual([
      'cli-knows-only-the-sdk',
      'controllers-stay-thin',
      'module-is-in-a-tier',
      'modules-know-no-app',
      'no-cycles',
      'nobody-imports-its-own-index',
      'other-modules-through-index',
      'platform-knows-no-module',
      'rules-stay-pure',
      'sdk-stands-alone',
      'sdk-through-its-index',
      'service-knows-no-client',
      'states-chunks-imports-later-rooms-only',
      'states-imports-lower-tiers-only',
    ]);
  });

  it('refuse each violation of a boundary of the console that is planted', () => {
    const files = {
      'console/src/platform/p.ts': `import { f } from '../features/one/index'; export const p = f;`,
      'console/src/platform/client/index.ts': `export { g } from './generated';`,
      'console/src/platform/client/generated.ts': `export const g = 1;`,
      'console/src/features/one/index.ts': `import { g } from '../../platform/client/generated'; export const f = g;`,
      'console/src/features/two/deep.ts': `import { x } from '../one/deep'; import { s } from '../../../../src/s'; export const d = [x, s];`,
      'console/src/features/one/deep.ts': `import { a } from '../../app/a'; export const x = a;`,
      'console/src/app/a.ts': `import { d } from '../features/two/deep'; export const a = d;`,
      'src/s.ts': `export const s = 1;`,
    };
    expect(brokenRules(files, ['console/src', '--config', 'console/.dependency-cruiser.cjs'])).toEqual([
      'app-finds-features-by-their-area',
      'console-knows-no-service',
      'features-know-no-app',
      'generated-client-through-its-index',
      'no-cycles',
      'other-features-through-index',
      'platform-knows-no-feature',
    ]);
  });

  it('refuse each violation of a signature, and time and randomness that are not injected', () => {
    const files = {
      'src/modules/kv/kv.service.ts': `
        export class KvService {
          constructor(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9) {}
          many(a: 1, b: 2, c: 3, d: 4, e: 5) {}
          flagged(a: 1, isLast: boolean) {}
          defaulted(a: 1, isLast = false) {}
          time() { return [new Date(), Date.now(), Math.random(), randomUUID()]; }
          fine(isLast: boolean) { return new Date(0); }
        }`,
    };
    const lines = outputOf(files, process.execPath, ['tools/code-rules.mjs']).trim().split('\n');
    expect(lines).toEqual([
      expect.stringContaining('kv.service.ts:3 KvService takes 9 collaborators'),
      expect.stringContaining(':4 many takes 5 positional parameters'),
      expect.stringContaining(':5 flagged takes a positional boolean'),
      expect.stringContaining(':6 defaulted takes a positional boolean'),
      expect.stringContaining(':7 new Date() reads the system time'),
      expect.stringContaining(':7 Date.now is not injected'),
      expect.stringContaining(':7 Math.random is not injected'),
      expect.stringContaining(':7 randomUUID is not injected'),
      '1 files, 8 problems',
    ]);
  });

  it('refuse a request of the console that does not go through the generated client', () => {
    const files = {
      'console/src/features/kv/kv-page.tsx': `
        export const fine: KvReadData['url'] = '/api/v1/github/kv/{installationId}/key/{key}';
        export const untyped = '/api/v1/whoami';
        export const built = (base: string, id: string) => \`\${base}/api/v1/states/\${id}/export\`;
        export const link = <a href="/oauth2/oidc/callback">x</a>;
        export const read = () => fetch(fine);
        export const told = () => navigator.sendBeacon(fine) || new EventSource(fine);
        export const pages = ['/states/1', '/api', 'https://example.com'];`,
      'console/src/features/kv/kv-page.spec.tsx': `it('x', () => expect('/api/v1/whoami').toBe('/api/v1/whoami'));`,
      'console/src/platform/client/generated/sdk.gen.ts': `export const url = '/api/v1/whoami';`,
    };
    const lines = outputOf(files, process.execPath, ['tools/code-rules.mjs']).trim().split('\n');
    expect(lines).toEqual([
      expect.stringContaining('kv-page.tsx:3 an address of the API is written by hand'),
      expect.stringContaining('kv-page.tsx:4 an address of the API is written by hand'),
      expect.stringContaining('kv-page.tsx:5 an address of the API is written by hand'),
      expect.stringContaining('kv-page.tsx:6 fetch is a request of its own'),
      expect.stringContaining('kv-page.tsx:7 sendBeacon is a request of its own'),
      expect.stringContaining('kv-page.tsx:7 EventSource is a request of its own'),
      '2 files, 6 problems',
    ]);
  });

  it('refuse a folder outside of the order of rooms, and a module too large to be flat', () => {
    const files = {
      'src/modules/states/attic/x.ts': 'export const x = 1;',
      'src/modules/states/writing/fine.ts': 'export const x = 1;',
      'src/modules/kv/dto/fine.dto.ts': 'export const x = 1;',
      ...Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`src/modules/kv/f${n}.ts`, 'export {};'])),
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`src/modules/mql/f${n}.ts`, 'export {};'])),
    };
    const lines = outputOf(files, process.execPath, ['tools/code-rules.mjs']).trim().split('\n');
    expect(lines).toEqual([
      expect.stringContaining('src/modules/states/attic has no place in the order of rooms'),
      expect.stringContaining('src/modules/kv has 31 files outside of rooms, 30 are allowed'),
      '64 files, 2 problems',
    ]);
  });

  it('refuse enums and forward references', () => {
    const files = {
      'src/modules/kv/kv.module.ts': `
        export enum Color { Red }
        export const later = forwardRef(() => KvModule);`,
    };
    const lines = outputOf(files, process.execPath, ['tools/code-rules.mjs']).trim().split('\n');
    expect(lines).toEqual([
      expect.stringContaining('kv.module.ts:2 enum Color'),
      expect.stringContaining('kv.module.ts:3 forwardRef hides a cycle'),
      '1 files, 2 problems',
    ]);
  });

  it('refuse what the linter must refuse: complexity, any, assertions against null, long files', () => {
    const branches = Array.from({ length: 15 }, (_, n) => `if (x === ${n}) return ${n};`).join('\n');
    const files = {
      'src/modules/kv/kv.rules.ts': `export function fine(x: number) { ${branches.replace('if (x === 0) return 0;', '')} return x; }
        export function branchy(x: number) { ${branches} return x; }
        export const loose = (x: any) => x!.y;`,
      'src/modules/kv/long.ts': Array.from({ length: 351 }, (_, n) => `export const a${n} = ${n};`).join(
        '\n',
      ),
    };
    const output = outputOf(files, join(ROOT, 'node_modules', '.bin', 'oxlint'), ['src', '-f', 'unix']);
    expect(output).toContain('function `branchy` has a complexity of 16. Maximum allowed is 15.');
    expect(output).not.toContain('`fine`');
    expect(output).toContain('no-explicit-any');
    expect(output).toContain('no-non-null-assertion');
    expect(output).toMatch(/long\.ts.*max-lines/);
  });

  it('refuse SQL and entities of tables that belong to another module, and are not listed', () => {
    const files = {
      'src/modules/users/entities/user.entity.ts': `@Entity('users') export class UserEntity {}`,
      'src/modules/kv/kv.queries.ts': `
        export const own = 'SELECT key FROM kv_records';
        export const listed = 'SELECT id FROM installations';
        export const joined = \`SELECT r.key FROM kv_records r JOIN tenants t ON \${own}\`;
        export const written = 'DELETE FROM kv_records USING x; UPDATE installations SET id = 1';
        export const subquery = 'WITH users AS (SELECT 1) SELECT FROM users';
        import { UserEntity } from '../users/index.js';
        export const found = (manager: any, type: UserEntity) => manager.findOneBy(UserEntity, {});
        export const added = (manager: any) => manager.insert(UserEntity, {});`,
      'src/modules/kv/entities/stray.entity.ts': `@Entity('strays') export class StrayEntity {}`,
      'src/modules/kv/entities/user-copy.entity.ts': `@Entity('users') export class UserCopyEntity {}`,
    };
    const lines = outputOf(files, process.execPath, ['tools/code-rules.mjs']).trim().split('\n');
    expect(lines).toEqual([
      expect.stringContaining('stray.entity.ts strays has no owner'),
      expect.stringContaining('user-copy.entity.ts users is a table of users'),
      expect.stringContaining('kv.queries.ts:4 kv reads tenants, a table of tenants'),
      expect.stringContaining('kv.queries.ts:5 kv writes installations, a table of vcs'),
      expect.stringContaining('kv.queries.ts:8 kv reads users, a table of users'),
      expect.stringContaining('kv.queries.ts:9 kv writes users, a table of users'),
      expect.stringContaining('user-copy.entity.ts:1 kv reads users, a table of users'),
      '4 files, 7 problems',
    ]);
  });

  it('refuse tables without an owner, and readers that are listed in vain', () => {
    const files = {
      'src/modules/kv/kv.queries.ts': `export const q = 'SELECT FROM installations';`,
      'migrations/1-planted.sql': 'CREATE TABLE planted (id uuid);\nCREATE TABLE kv_records (id uuid);',
    };
    const output = outputOf(files, process.execPath, ['tools/code-rules.mjs']);
    expect(output).toContain('migrations planted has no owner');
    expect(output).toContain('tools/tables.mjs users does not exist');
    expect(output).toContain('tools/tables.mjs nothing of access reads api_keys');
    expect(output).not.toContain('nothing of kv reads installations');
    expect(output).not.toContain('kv_records');
  });

  it('refuse a test that asserts nothing', () => {
    const files = {
      'test/support/checks.ts': `export async function check(): Promise<void> { expect(1).toBe(1); }
        export async function wait(): Promise<void> {}`,
      'test/e2e/planted.spec.ts': `import { check, wait } from '../support/checks.js';
        const own = () => expect(1).toBe(1);
        it('asserts itself', () => expect(1).toBe(1));
        it('asserts by a function of the file', () => own());
        it('asserts by a function of test/support', async () => check());
        it.each([1, 2])('asserts nothing', async () => wait());`,
    };
    const lines = outputOf(files, process.execPath, ['tools/code-rules.mjs']).trim().split('\n');
    expect(lines).toEqual([
      "test/e2e/planted.spec.ts:6 the test 'asserts nothing' asserts nothing",
      '1 files, 1 problems',
    ]);
  });
});
