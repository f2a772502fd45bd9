// Lints docs/openapi.json by redocly.yaml; a warning fails like an error.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js'),
    'lint',
    'docs/openapi.json',
    '--format=json',
  ],
  {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
);
// Notices of the tool come before the report.
const report = /\{\s*"totals"[\s\S]*\}/.exec(stdout)?.[0];
if (report === undefined) {
  process.stdout.write(`${stdout}${stderr}\nthe linter gave no report (status ${status})\n`);
  process.exit(1);
}
const { problems } = JSON.parse(report);
for (const { severity, ruleId, message, location } of problems)
  process.stdout.write(`${severity} ${ruleId} ${location?.[0]?.pointer ?? ''}: ${message}\n`);
process.exit(problems.length === 0 ? 0 : 1);
