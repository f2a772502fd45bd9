// `npm run bench [-- name …] [--write]`: measures against a peer or a limit in the same run.
// `--write` puts the results into docs/benchmarks.md. Needs a build; uses an embedded PostgreSQL of its own with the
// settings of `npm start` (durable).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../tools/build.mjs';
import { startBenchService } from './service.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));

await build();
const names = readdirSync(join(here, 'scenarios'))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -4))
  .sort();
const results = [];
for (const name of names.filter(
  (each) => wanted.length === 0 || wanted.some((part) => each.includes(part)),
)) {
  const { run, environment = {} } = await import(`./scenarios/${name}.mjs`);
  const service = await startBenchService(environment);
  process.stdout.write(`\n${name}\n`);
  try {
    for (const row of await run(service)) {
      process.stdout.write(
        `  ${row.work}: ${row.measured} (peer or limit: ${row.peer}; ratio ${row.ratio}; goal ${row.goal}) ${verdict(row, 'met', 'MISSED')}\n`,
      );
      results.push({ name, ...row });
    }
  } finally {
    await service.stop();
  }
}
if (args.includes('--write')) writeFileSync(join(here, '..', 'docs', 'benchmarks.md'), document());

/** A row without `met` is there for comparison. */
function verdict({ met }, yes, no) {
  if (met === undefined) return '';
  return met ? yes : no;
}

function document() {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}, PostgreSQL 18 (embedded)`;
  const rows = results.map(
    (row) =>
      `| ${row.work} | ${row.measured} | ${row.peer} | ${row.ratio} | ${row.goal} | ${verdict(row, 'yes', '**no**')} |`,
  );
  const notes = readFileSync(join(here, 'notes.md'), 'utf8');
  return `# Benchmarks

Measured with \`npm run bench -- --write\` on ${machine}; service, database and load share the machine.

| work | measured | peer or limit in the same run | ratio | goal | met |
|---|---|---|---|---|---|
${rows.join('\n')}

${notes}`;
}
