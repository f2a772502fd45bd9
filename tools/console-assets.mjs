// After Vite: compresses what is served, checks the sizes that a browser has to load, and removes what is not served.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { promisify } from 'node:util';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'console', 'dist');
const assets = join(dist, 'assets');
const KB = 1000;
/** gzip bytes of script and style. */
const LIMITS = { document: 250 * KB, page: 150 * KB, reference: 450 * KB };

const sizes = new Map();
await Promise.all(readdirSync(assets).map(compress));
const parts = JSON.parse(readFileSync(join(dist, 'parts.json'), 'utf8'));
rmSync(join(dist, 'parts.json'));
const failures = [...checkSizes(), ...checkStyles()];
if (failures.length > 0) {
  process.stderr.write(`${failures.join('\n')}\n`);
  process.exit(1);
}

async function compress(name) {
  const source = readFileSync(join(assets, name));
  const brotliOptions = {
    // 11 takes seconds for the last 3 %.
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: source.length },
  };
  const [gz, br] = await Promise.all([
    promisify(gzip)(source, { level: 9 }),
    promisify(brotliCompress)(source, brotliOptions),
  ]);
  sizes.set(`assets/${name}`, gz.length);
  for (const [ending, data] of [
    ['gz', gz],
    ['br', br],
  ])
    if (data.length < source.length) writeFileSync(join(assets, `${name}.${ending}`), data);
}

/** Classes of Mantine that stand in a script and have a rule in its whole style, but none in what was built. */
function checkStyles() {
  const classesIn = (text) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));
  const built = (ending) =>
    readdirSync(assets)
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(join(assets, name), 'utf8'))
      .join('\n');
  const whole = classesIn(
    readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'),
  );
  const styled = classesIn(built('.css'));
  const missing = [...classesIn(built('.js'))].filter((name) => whole.has(name) && !styled.has(name));
  return missing.length === 0
    ? []
    : [`console/src/app/mantine.css lacks the styles of ${missing.length} classes: ${missing.join(', ')}`];
}

/** Files of a part and of everything it imports at once. */
function filesOf(key, found = new Set(), seen = new Set()) {
  if (seen.has(key)) return found;
  seen.add(key);
  const part = parts[key];
  found.add(part.file);
  for (const style of part.css ?? []) found.add(style);
  for (const next of part.imports ?? []) filesOf(next, found, seen);
  return found;
}

function checkSizes() {
  const weigh = (files) => [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const entry = Object.keys(parts).find((key) => parts[key].isEntry);
  const first = filesOf(entry);
  const report = [['document', weigh(first), LIMITS.document]];
  for (const [key, part] of Object.entries(parts)) {
    if (!part.isDynamicEntry) continue;
    const own = [...filesOf(key)].filter((file) => !first.has(file));
    report.push([key, weigh(own), key.includes('reference') ? LIMITS.reference : LIMITS.page]);
  }
  if (process.argv.includes('--report'))
    for (const [name, size] of report) process.stdout.write(`${String(size).padStart(8)}  ${name}\n`);
  return report
    .filter(([, size, limit]) => size > limit)
    .map(([name, size, limit]) => `${name}: ${size} bytes (gzip) exceed the limit of ${limit}`);
}
