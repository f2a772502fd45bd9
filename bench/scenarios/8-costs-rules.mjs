// The pure rules of pricing: 100,000 instances on one thread, the shipped price book, and one of a million prices.
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';

export const title = 'Pricing rules and price book';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const PRICING = process.env.BENCH_PRICING ?? join(root, 'dist', 'modules', 'pricing', 'index.js');
const INSTANCES = 100_000;
const PRICES = 1_000_000;
const ROUNDS = 5;

export async function run() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-prices-'));
  try {
    const large = join(directory, 'large.ndjson.gz');
    await writeLargeBook(large);
    const rules = measure(`
      const questions = Array.from({ length: ${INSTANCES} }, (_, index) => question(index));
      const times = [];
      let components = 0, priced = 0;
      for (let round = 0; round < ${ROUNDS}; round++) {
        components = priced = 0;
        const start = process.cpuUsage();
        for (const each of questions) {
          const result = pricing.priceResource(each);
          components += result.components.length;
          if (result.isPriced) priced++;
        }
        const used = process.cpuUsage(start);
        times.push((used.user + used.system) / 1000);
      }
      times.sort((a, b) => a - b);
      done({ ms: times[${Math.floor(ROUNDS / 2)}], components, priced });`);
    const shipped = measure(`
      const before = process.memoryUsage().rss;
      const start = performance.now();
      globalThis.kept = await pricing.loadPriceBook([]);
      done({ ms: performance.now() - start, mb: (process.memoryUsage().rss - before) / 1e6, size: kept.size });`);
    const big = measure(
      `
      const before = process.memoryUsage().rss;
      const start = performance.now();
      globalThis.kept = await pricing.loadPriceBook([process.argv[1]]);
      const ms = performance.now() - start;
      const keys = JSON.parse(JSON.stringify(Array.from({ length: 100000 }, (_, i) => ['r' + (i * 7919) % 50, 'service/part-' + (i * 104729) % 20000])));
      let found = 0;
      const begin = process.cpuUsage();
      for (const [region, key] of keys) if (kept.find('aws', region, key)) found++;
      const used = process.cpuUsage(begin);
      const each = (used.user + used.system) / keys.length;
      global.gc?.();
      done({ ms, mb: (process.memoryUsage().rss - before) / 1e6, each, found });`,
      large,
    );
    return [
      row({
        work: `rules over ${INSTANCES} instances, ${Math.round((rules.priced / INSTANCES) * 100)} % priced, ${(rules.components / rules.priced).toFixed(1)} components each, processor time (median of ${ROUNDS})`,
        measured: rules.ms / 1000,
        limit: 1,
        unit: 's',
      }),
      row({
        work: `shipped price book of ${shipped.size} prices loaded`,
        measured: shipped.ms,
        limit: 150,
        unit: 'ms',
      }),
      row({ work: 'shipped price book, memory', measured: shipped.mb, limit: 30, unit: 'MB' }),
      row({
        work: `price book of ${PRICES} prices (${Math.round(statSync(large).size / 1e6)} MB) loaded`,
        measured: big.ms / 1000,
        limit: 5,
        unit: 's',
      }),
      row({ work: `price book of ${PRICES} prices, memory`, measured: big.mb, limit: 300, unit: 'MB' }),
      row({
        work: `lookup among ${PRICES} prices, processor time`,
        measured: big.each,
        limit: 1,
        unit: 'µs',
      }),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function row({ work, measured, limit, unit }) {
  return {
    work,
    measured: `${measured.toPrecision(3)} ${unit}`,
    peer: `${limit} ${unit}`,
    ratio: (measured / limit).toFixed(2),
    goal: 'at most 1',
    met: measured <= limit,
  };
}

/** In a process of its own, so that memory is that of the work alone. */
function measure(work, ...args) {
  const script = `
    const pricing = require(${JSON.stringify(PRICING)});
    const done = (result) => process.stdout.write(JSON.stringify(result));
    const sizes = ['m5.large', 't3.micro', 'c5.xlarge', 'r5.2xlarge', 'm6i.4xlarge'];
    let book;
    const attributesOf = (index) => ({
      id: 'i-' + index, arn: 'arn:aws:ec2:us-east-1:123456789012:instance/i-' + index, ami: 'ami-1', tags: { Name: 'n' + index },
      instance_type: sizes[index % sizes.length], ebs_optimized: false, monitoring: false, tenancy: 'default',
      root_block_device: [{ volume_type: 'gp2', volume_size: 8 + (index % 100), iops: 100 }],
      ebs_block_device: [{ volume_id: 'vol-' + index, volume_type: 'gp2', volume_size: 20 + (index % 500), device_name: '/dev/sdb' }],
    });
    const question = (index) => ({ type: index % 5 < 3 ? 'aws_instance' : 'aws_iam_role', attributes: index % 5 < 3 ? attributesOf(index) : { id: 'r' }, region: 'us-east-1', linked: () => undefined, book });
    (async () => { if (process.argv.length === 1) book = await pricing.loadPriceBook([]); ${work} })();`;
  const result = spawnSync(process.execPath, ['--expose-gc', '-e', script, ...args], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(result.stderr);
  return JSON.parse(result.stdout);
}

async function writeLargeBook(path) {
  const gzip = createGzip({ level: 1 });
  const file = gzip.pipe(createWriteStream(path));
  const header = {
    format: 'infrastate-price-book',
    version: 1,
    generated_at: '2026-01-01',
    sources: { own: { title: 'bench', licence: 'none' } },
  };
  gzip.write(`${JSON.stringify(header)}\n`);
  for (let region = 0; region < 50; region++) {
    let text = '';
    for (let key = 0; key < PRICES / 50; key++)
      text += `["aws","r${region}","service/part-${key}","hours","USD","0.${1000 + key}","2026-01-01","own"]\n`;
    if (!gzip.write(text)) await once(gzip, 'drain');
  }
  gzip.end();
  await once(file, 'close');
}
