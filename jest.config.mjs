import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const BUNDLES = join(root, 'node_modules', '.cache', 'bundles');

// Everything goes through SWC, packages too: Nest's are ES modules and Jest loads CommonJS.
const swc = {
  isModule: 'unknown',
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
    keepClassNames: true,
  },
};

/** Large packages that are what Jest loads as they are: going through them took a tenth of the unit tests. */
const COMMON_JS = [
  ...['typeorm', 'pg', 'rxjs', 'zod', 'express', 'bullmq', 'ioredis', 'pino', 'prom-client'],
  ...['class-validator', 'class-transformer', 'libphonenumber-js', 'validator', 'fast-check', 'typescript'],
];

/** Every suite loads its modules anew, and one file takes a tenth of the time of hundreds. */
function bundleOf(name) {
  const { version } = require(`${name}/package.json`);
  const file = join(BUNDLES, `${name}-${version}.cjs`);
  if (existsSync(file)) return file;
  mkdirSync(BUNDLES, { recursive: true });
  const draft = join(BUNDLES, `${name}-${process.pid}.cjs`);
  buildSync({
    entryPoints: [name],
    bundle: true,
    platform: 'node',
    target: 'node20',
    outfile: draft,
    absWorkingDir: root,
  });
  renameSync(draft, file);
  return file;
}

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/cli/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/cli/dist/', '<rootDir>/.data/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^fast-check$': bundleOf('fast-check'),
    '^zod$': bundleOf('zod'),
  },
  transform: { '^.+\\.(t|j|mj)s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(${COMMON_JS.join('|')})/`, BUNDLES],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  maxWorkers: 2,
  testTimeout: 30_000,
};
