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

/** Components of the console. */
const components = {
  ...swc,
  jsc: {
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic' } },
    target: 'es2022',
  },
};

/** Large packages that are what Jest loads as they are: going through them took a tenth of the unit tests. */
const COMMON_JS = [
  ...['typeorm', 'pg', 'rxjs', 'zod', 'express', 'bullmq', 'ioredis', 'pino', 'prom-client'],
  ...['class-validator', 'class-transformer', 'libphonenumber-js', 'validator', 'fast-check', 'typescript'],
];

export default {
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/support/described-fetch.ts'],
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/cli/src/**/*.spec.ts',
    '<rootDir>/console/src/**/*.spec.{ts,tsx}',
    '<rootDir>/test/**/*.spec.ts',
  ],
  // `npm run test:endurance` runs these and nothing else.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.TEST_ENDURANCE ? [] : ['<rootDir>/test/endurance/']),
  ],
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/cli/dist/',
    '<rootDir>/console/dist/',
    '<rootDir>/.data/',
  ],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^fast-check$': '<rootDir>/test/support/seeded-fast-check.cjs',
    '\\.module\\.css$': '<rootDir>/test/support/no-style.cjs',
  },
  transform: { '^.+\\.(t|j|mj)s$': ['@swc/jest', swc], '^.+\\.tsx$': ['@swc/jest', components] },
  transformIgnorePatterns: [`/node_modules/(${COMMON_JS.join('|')})/`],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // Two cores: the third fills the time in which the others wait.
  maxWorkers: 3,
  // A hang ends the test; a slow machine must not.
  testTimeout: 120_000,
};
