// `npm test`: builds, starts one embedded PostgreSQL with a migrated template database, runs Jest, counts.
// Arguments go to Jest; `--no-build` tests the dist/ that is there; `--endurance` runs the long suites instead. The last line is for machines.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const TEMPLATE = 'template_migrated';
const ROLE = 'service';
/** Speed over safety: this cluster is thrown away. */
const UNSAFE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };

/** The long ones, and those that try more at random there (test/support/endurance.ts). */
const ENDURANCE_SUITES = [
  'test/endurance/',
  'test/e2e/(console-pages|security-model|terraform-concurrent|fuzz|fuzz-writers|chaos|transaction-crashes|transaction-model)[.]spec',
  'test/medium/run-model[.]spec',
];

const BINARIES = ['redis-server', 'terraform', 'chromium'];

function missingBinaries() {
  return BINARIES.filter((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error);
}

function shout(lines) {
  const width = Math.max(...lines.map((line) => line.length)) + 4;
  const bar = '!'.repeat(width);
  process.stdout.write(
    `\n${bar}\n${lines.map((line) => `! ${line.padEnd(width - 4)} !`).join('\n')}\n${bar}\n\n`,
  );
}

async function startDatabase(directory) {
  const { EmbeddedPostgres } = require('../dist/platform/database/embedded-postgres/index.js');
  const { migrate } = require('../dist/platform/database/migrations.js');
  const { migrateQueues } = require('../dist/platform/queue/queue-migrations.js');
  const server = await EmbeddedPostgres.start({ directory, settings: UNSAFE });
  try {
    const role = await server.role(ROLE);
    await server.database(TEMPLATE, ROLE);
    await migrate({ ...role, database: TEMPLATE });
    await migrateQueues({ ...role, database: TEMPLATE });
    const environment = {
      TEST_DB_HOST: role.host,
      TEST_DB_PORT: String(role.port),
      TEST_DB_USER: role.user,
      TEST_DB_PASS: role.password,
      TEST_DB_TEMPLATE: TEMPLATE,
      TEST_DB_ADMIN_PASS: server.superuser().password,
    };
    return { server, environment };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function runJest(args, environment) {
  return new Promise((done) => {
    const jest = [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    ];
    const child = spawn(process.execPath, [...jest, ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    });
    child.once('exit', (code) => done(code ?? 1));
  });
}

/** A suite that could not even be loaded has no tests to count: it counts as one failure. */
function countsIn(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const result = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

/** Where the time went: the slowest suites in seconds, with the part that their tests took. The rest is set-up. */
function slowestIn(file, count = 10) {
  if (!existsSync(file)) return '';
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const suites = testResults
    .map(({ name, startTime, endTime, assertionResults }) => ({
      name: relative(root, name),
      seconds: (endTime - startTime) / 1000,
      inTests: assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000,
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count);
  const lines = suites.map(
    ({ name, seconds, inTests }) =>
      `${seconds.toFixed(1).padStart(8)} ${inTests.toFixed(1).padStart(8)}  ${name}\n`,
  );
  return `\n${'seconds'.padStart(8)} ${'in tests'.padStart(8)}  slowest suites\n${lines.join('')}`;
}

async function main() {
  const args = process.argv.slice(2).filter((argument) => !['--no-build', '--endurance'].includes(argument));
  const isEndurance = process.argv.includes('--endurance');
  // One after the other, for what they measure is the service and not the suite beside them.
  if (isEndurance) args.push('--runInBand');
  if (isEndurance && !args.includes('--testPathPatterns'))
    args.push('--testPathPatterns', ...ENDURANCE_SUITES);
  if (!process.argv.includes('--no-build') && !(await build()))
    return { code: 1, counts: { passed: 0, failed: 1, skipped: 0 } };
  const missing = missingBinaries();
  if (missing.length > 0) shout(missing.map((name) => `${name} is not on the PATH: its suites are SKIPPED`));

  const scratch = mkdtempSync(join(tmpdir(), 'service-test-'));
  const skips = join(scratch, 'skipped');
  const output = join(scratch, 'result.json');
  // mkdtemp makes it private to root, and the database's own user has to pass through.
  chmodSync(scratch, 0o755);
  let database;
  process.on('SIGINT', () => undefined);
  try {
    database = await startDatabase(join(scratch, 'data'));
    const environment = {
      ...database.environment,
      TEST_SKIP_REPORT: skips,
      ...(isEndurance ? { TEST_ENDURANCE: '1' } : {}),
    };
    const code = await runJest([...args, '--forceExit', '--json', `--outputFile=${output}`], environment);
    if (existsSync(skips)) shout([...new Set(readFileSync(skips, 'utf8').trim().split('\n'))]);
    process.stdout.write(slowestIn(output));
    const counts = countsIn(output);
    return { code: counts.failed > 0 ? code || 1 : code, counts };
  } finally {
    await database?.server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const { code, counts } = await main().catch((error) => {
  process.stdout.write(`${error.stack ?? error}\n`);
  return { code: 1, counts: { passed: 0, failed: 1, skipped: 0 } };
});
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exitCode = code;
