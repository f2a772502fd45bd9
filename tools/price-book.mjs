// `node tools/price-book.mjs [--facts FILE] [--report] [--check]`: makes the price book that ships with the service from the price facts
// (tools/prices/price-facts.ndjson.gz). Equal facts give equal bytes. `--report` lists what was left out and why.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { keyText, placesOf } from './prices/price-keys.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const FACTS = join(here, 'prices', 'price-facts.ndjson.gz');
const BOOK = join(here, '..', 'src', 'modules', 'pricing', 'shipped-prices.ndjson.gz');
const CLOUDS = { aws: 'aws', azure: 'azure', google: 'gcp' };
/** When each source was published. */
const DATES = {
  karpenter: '2026-07-20',
  karpenter_gov: '2026-07-20',
  // The catalogue's commit tells no date of its prices.
  skypilot: 'unknown',
  karpenter_azure: '2023-12-01',
  infracost: '2026-08-21',
  focus: '2024-09-30',
  consensus: '2026-11-01',
};
const LICENCES = { focus: 'CC-BY-4.0', consensus: 'facts' };

/** Reads facts and gives `{ bytes, left }`: the book's bytes and the facts that are not in it. */
export function makePriceBook(facts) {
  const left = [];
  const places = new Map();
  for (const fact of facts.facts) {
    const cloud = CLOUDS[fact.provider];
    const found = cloud ? placesOf(fact).filter(({ region }) => region !== null) : [];
    if (found.length === 0) left.push({ fact, why: cloud ? 'no key or region' : 'no such provider' });
    for (const place of found) {
      const id = JSON.stringify([cloud, place.region, place.key]);
      if (!places.has(id)) places.set(id, []);
      places.get(id).push({ fact, place, cloud });
    }
  }
  splitOpenTiers(places);
  const lines = [];
  for (const candidates of places.values()) {
    const line = lineOf(candidates, left);
    if (line) lines.push(line);
  }
  lines.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]) || compare(a[2], b[2]));
  const header = {
    format: 'infrastate-price-book',
    version: 1,
    generated_at: Object.values(DATES)
      .filter((date) => date !== 'unknown')
      .sort()
      .at(-1),
    sources: Object.fromEntries(
      Object.entries(facts.sources).map(([name, title]) => [
        name,
        { title, licence: LICENCES[name] ?? 'Apache-2.0' },
      ]),
    ),
  };
  return {
    bytes: gzipSync([header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''), { level: 9 }),
    lines,
    left,
  };
}

/** Tiers without a first one, such as what lies above a free amount, are prices of their own. */
function splitOpenTiers(places) {
  const isOpen = (candidates) => {
    const tiers = candidates.filter(({ place }) => place.tier);
    return tiers.length > 0 && !tiers.some(({ place }) => place.tier.kind === 'first');
  };
  const open = [...places].filter(([, candidates]) => isOpen(candidates));
  for (const [id] of open) places.delete(id);
  for (const each of open.flatMap(([, candidates]) => candidates)) {
    const suffix = each.place.tier ? `-${keyText(/\(([^()]*)\)$/.exec(each.fact.component)[1])}` : '';
    const key = each.place.key.endsWith(suffix) ? each.place.key : each.place.key + suffix;
    const own = JSON.stringify([each.cloud, each.place.region, key]);
    places.set(own, [
      ...(places.get(own) ?? []),
      { ...each, place: { ...each.place, tier: undefined, key } },
    ]);
  }
}

function lineOf(candidates, left) {
  const tiered = candidates.filter(({ place }) => place.tier);
  if (tiered.length > 0) return tieredLine(tiered, candidates, left);
  const best = bestOf(candidates, left);
  return best && line(best, plain(best.place.price ?? best.fact.price));
}

/** Tiers of one component are facts of their own: put together, their amounts give the bounds. */
function tieredLine(tiered, candidates, left) {
  const byTier = new Map();
  for (const each of tiered) {
    const id = `${each.place.tier.kind} ${each.place.tier.amount}`;
    byTier.set(id, [...(byTier.get(id) ?? []), each]);
  }
  const chosen = [...byTier.values()].map((each) => bestOf(each, left));
  if (chosen.includes(undefined)) return undefined;
  const first = chosen.filter(({ place }) => place.tier.kind === 'first');
  const over = chosen.filter(({ place }) => place.tier.kind === 'over');
  const next = chosen
    .filter(({ place }) => place.tier.kind === 'next')
    .sort((a, b) => a.place.tier.amount - b.place.tier.amount);
  const [{ place }] = chosen;
  const perUnit = unitAmount(place.unit, place.tier.bytes);
  const bounds = [];
  let from = 0;
  if (first.length !== 1) {
    for (const each of chosen) left.push({ fact: each.fact, why: 'tiers incomplete' });
    return undefined;
  }
  // The order of the middle tiers is by the last bound: they add up to it.
  for (const each of [first[0], ...next]) {
    bounds.push([String(from / perUnit), plain(each.fact.price)]);
    from += each.place.tier.amount;
  }
  if (over.length > 1) return undefined;
  if (over.length === 1) bounds.push([String(from / perUnit), plain(over[0].fact.price)]);
  return line(first[0], bounds);
}

/** How many pieces (or gigabytes) one unit counts: 1,000,000 for `1M requests`. */
function unitAmount(unit, bytes) {
  if (bytes) return /^TB/.test(unit) ? 1024 : 1;
  const [, digits = '1', letter = ''] = /^(\d+)([kKMB]?)\b/.exec(unit) ?? [];
  return Number(digits) * 1000 ** ['', 'K', 'M', 'B'].indexOf(letter.toUpperCase());
}

/** The most exact of the facts for one price; nothing when they contradict each other. */
function bestOf(candidates, left) {
  const ranked = [...candidates].sort(
    (a, b) => rank(a.fact) - rank(b.fact) || plain(a.fact.price).length - plain(b.fact.price).length,
  );
  const [first] = ranked;
  if (rank(first.fact) === 0) return first;
  // Published estimates show prices of what depends on use with few digits: the one with most digits that rounds to the others.
  const told = ranked.filter(({ fact }) => rank(fact) < 4);
  const best =
    told.length === 0 ? first : told.reduce((left, right) => (isFiner(right, left) ? right : left));
  const contrary = told.filter((each) => !agrees(each, best));
  if (contrary.length === 0) return best;
  for (const { fact } of [best, ...contrary]) left.push({ fact, why: `contradiction for ${best.place.key}` });
  return undefined;
}

const textOf = ({ fact, place }) => plain(place.price ?? fact.price);
/** Digits beyond these are an artifact of how a price was worked out. */
const MAX_DIGITS = 13;

function isFiner(one, other) {
  const [a, b] = [textOf(one), textOf(other)];
  return agrees(other, one) && a.length > b.length && a.length <= MAX_DIGITS;
}

/** Whether the prices are all but equal, or `rough` is `fine` with fewer digits. */
function agrees(rough, fine) {
  const [a, b] = [textOf(rough), textOf(fine)];
  const distance = Math.abs(Number(a) - Number(b));
  if (distance <= Number(b) * 0.0005) return true;
  const digits = a.includes('.') ? a.length - a.indexOf('.') - 1 : 0;
  return b.length > a.length && distance <= 0.5000001 * 10 ** -digits;
}

function rank({ precision, source }) {
  if (precision === 'exact' || precision.startsWith('exact (')) return source === 'infracost' ? 1 : 0;
  if (precision === 'exact-ish') return 2;
  if (precision.startsWith('consensus')) return 3;
  const percent = Number(/^approx\((.*)%\)$/.exec(precision)?.[1] ?? NaN);
  if (percent < 2) return 4;
  return percent >= 2 ? 5 : 6;
}

function line({ fact, place, cloud }, amount) {
  const mark = markOf(fact.precision);
  return [
    cloud,
    place.region,
    place.key,
    place.unit,
    fact.currency,
    amount,
    DATES[fact.source],
    fact.source,
    ...(mark ? [mark] : []),
  ];
}

function markOf(precision) {
  const approximate = /^approx\((.*)\)$/.exec(precision)?.[1];
  if (approximate) return `approximate (${approximate})`;
  return precision.startsWith('derived') ? 'derived' : undefined;
}

/** Without exponent. */
function plain(price) {
  const match = /^(\d+)(?:\.(\d+))?[eE]-(\d+)$/.exec(price);
  if (!match) return price;
  const [, whole, fraction = '', exponent] = match;
  const places = Number(exponent) + fraction.length;
  const digits = (whole + fraction).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/^0+(?=\d)/, '');
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Facts as they are committed: one a line, the first line has their sources. */
export function readFacts(path = FACTS) {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  if (!path.includes('.ndjson')) return JSON.parse(text);
  const [sources, ...facts] = text
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each));
  return { sources, facts };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const given = process.argv.indexOf('--facts');
  if (given > 0) {
    const { sources, facts } = readFacts(process.argv[given + 1]);
    writeFileSync(
      FACTS,
      gzipSync([sources, ...facts].map((each) => `${JSON.stringify(each)}\n`).join(''), { level: 9 }),
    );
  }
  const { bytes, lines, left } = makePriceBook(readFacts());
  if (process.argv.includes('--check')) {
    // The packing differs between versions of zlib; what is packed does not.
    const same = gunzipSync(bytes).equals(gunzipSync(readFileSync(BOOK)));
    process.stdout.write(
      `${lines.length} prices ${same ? 'as shipped' : 'are not the shipped ones: run node tools/price-book.mjs'}\n`,
    );
    process.exit(same ? 0 : 1);
  }
  writeFileSync(BOOK, bytes);
  process.stdout.write(`${lines.length} prices, ${bytes.length} bytes; ${left.length} facts left out\n`);
  if (process.argv.includes('--report'))
    for (const { fact, why } of left)
      process.stdout.write(
        `${why}: ${fact.terraform_type} ${fact.subresource ?? ''} / ${fact.component} ${fact.region} ${fact.price} ${JSON.stringify(fact.attributes_observed ?? {})} ${fact.case ?? ''}\n`,
      );
}
