// `npm run bench [-- name …] [--write]`: measures against a peer or a limit in the same run.
// `--write` puts the results into docs/benchmarks.md, where scenarios that did not run keep theirs. Needs a build; uses an
// embedded PostgreSQL of its own with the settings of `npm start` (durable).
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../tools/build.mjs';
import { startBenchService } from './service.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const DOCUMENT = join(here, '..', 'docs', 'benchmarks.md');
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));

await build();
const names = readdirSync(join(here, 'scenarios'))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -4))
  .sort((a, b) => parseInt(a, 10) - parseInt(b, 10) || (a < b ? -1 : 1));
const results = [];
for (const name of names.filter(
  (each) => wanted.length === 0 || wanted.some((part) => each.includes(part)),
)) {
  const { run, title, environment = {} } = await import(`./scenarios/${name}.mjs`);
  const load = loadavg()[0];
  const rows = [];
  const service = await startBenchService(environment);
  process.stdout.write(`\n${name}\n`);
  try {
    for (const row of await run(service)) {
      process.stdout.write(
        `  ${row.work}: ${row.measured} (peer or limit: ${row.peer}; ratio ${row.ratio}; goal ${row.goal}) ${verdict(row, 'met', 'MISSED')}\n`,
      );
      rows.push(row);
    }
  } finally {
    await service.stop();
  }
  results.push({ name, title, load, rows });
}
if (args.includes('--write')) writeFileSync(DOCUMENT, document());

/** A row without `met` is there for comparison. */
function verdict({ met }, yes, no) {
  if (met === undefined) return '';
  return met ? yes : no;
}

/** The document with a part for each scenario that ran, in place of its older one. */
function document() {
  const older = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '';
  const parts = names.map((name) => {
    const result = results.find((each) => each.name === name);
    return result ? partOf(result) : between(older, begin(name), end(name));
  });
  return `# Benchmarks

\`npm run bench -- [part of a name …] --write\` measures, and writes the results into this file; parts that did not run keep their earlier results. Service, database and load generator share one machine. Parts that do not name their machine were measured on 2 × AMD EPYC, 24 GiB, Node.js v20.20.2.

${parts.filter((part) => part !== '').join('\n')}
${readFileSync(join(here, 'notes.md'), 'utf8')}`;
}

function partOf({ name, title, load, rows }) {
  const lines = rows.map(
    (row) =>
      `| ${row.work} | ${row.measured} | ${row.peer} | ${row.ratio} | ${row.goal} | ${verdict(row, 'yes', '**no**')} |`,
  );
  return `${begin(name)}
## ${title}

Measured on ${new Date().toISOString().slice(0, 10)} on ${machine()}, with a load average of ${load.toFixed(1)} before.

| work | measured | peer or limit in the same run | ratio | goal | met |
|---|---|---|---|---|---|
${lines.join('\n')}
${end(name)}
`;
}

function machine() {
  return `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}, PostgreSQL 18 (embedded)`;
}

function begin(name) {
  return `<!-- ${name}:begin -->`;
}

function end(name) {
  return `<!-- ${name}:end -->`;
}

/** With both marks; nothing when they are not there. */
function between(text, first, last) {
  const from = text.indexOf(first);
  const to = text.indexOf(last);
  return from < 0 || to < 0 ? '' : `${text.slice(from, to + last.length)}\n`;
}
