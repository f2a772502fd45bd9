import type { Field, Layout } from './column-names.rules.js';
import { AMOUNT, PROVIDER_NAMES } from './line-problems.rules.js';

const MAX_TEXT = 600;
const MAX_TAGS = 16_384;

export interface LineSource {
  /** what stands behind FROM */
  from: string;
  /** SQL of a column's value as text, by position */
  text: (column: number) => string;
  /** SQL of a column's value as JSON text, by position: maps and structures as well */
  json: (column: number) => string;
}

export interface Window {
  provider: string;
  from: string;
  /** no line may begin on this day or later */
  until: string;
}

export const CREATE_GATHERED = `CREATE TABLE gathered (problem INTEGER, charge_date DATE, provider VARCHAR, account VARCHAR,
  period VARCHAR, resource VARCHAR, type VARCHAR, service VARCHAR, region VARCHAR, category VARCHAR, currency VARCHAR, tags VARCHAR,
  billed_whole HUGEINT, billed_fraction DECIMAL(38,30), effective_whole HUGEINT, effective_fraction DECIMAL(38,30), lines BIGINT)`;

const KEYS =
  'charge_date, provider, account, period, resource, type, service, region, category, currency, tags';
/** Amounts of thirty digits on either side of the point fit no type, so whole and fraction are summed on their own. */
const SUMS =
  'sum(billed_whole), sum(billed_fraction), sum(effective_whole), sum(effective_fraction), sum(lines)';

/**
 * Adds a file's lines, summed up by everything but the hour. Lines with a problem stand beside, by its number. What is
 * costly to read (texts, tags) is read once for each sum and not for each line.
 */
export function gatherStatement(source: LineSource, layout: Layout, window: Window): string {
  const amounts = (['billed', 'effective'] as const).flatMap((name) => [
    `sum(${whole(name)}) AS ${name}_whole, sum(${fraction(name)}) AS ${name}_fraction`,
  ]);
  const raw = rawColumns(source, layout).map(({ name }) => name);
  const sums = `SELECT problem, charge_date, ${raw.join(', ')}, ${amounts.join(', ')}, count(*) AS lines
    FROM (${checkedLines(source, layout, window)}) WHERE problem > 0 OR charge_date >= DATE ${quoted(window.from)} GROUP BY ALL`;
  return `INSERT INTO gathered SELECT problem, charge_date, ${keysOf(layout, window)}, billed_whole, billed_fraction,
    effective_whole, effective_fraction, lines FROM (${sums})`;
}

/** The first line with a problem; `source` must give its lines in order and number them as `n`. */
export function problemStatement(source: LineSource, layout: Layout, window: Window): string {
  return `SELECT problem, n FROM (${checkedLines(source, layout, window, 'n,')}) WHERE problem > 0 ORDER BY n LIMIT 1`;
}

/** All of `gathered`, summed up once more over the files. */
export function writeStatement(file: string): string {
  return `COPY (SELECT ${KEYS}, ${SUMS} FROM gathered GROUP BY ALL) TO ${quoted(file)} (FORMAT csv, HEADER false, NULLSTR '\\N')`;
}

interface RawColumn {
  name: string;
  value: string;
}

/** The columns that the keys of a sum are made of, as they stand in the file. */
function rawColumns(source: LineSource, layout: Layout): RawColumn[] {
  const fields = KEY_FIELDS.flatMap((field) => layout.columns[field]);
  const texts = [...new Set([...fields, ...layout.tags.map(({ column }) => column)])];
  return [
    ...texts.map((column) => ({ name: rawName(column), value: source.text(column) })),
    ...(layout.tagMap === undefined ? [] : [{ name: 'raw_tags', value: source.json(layout.tagMap) }]),
  ];
}

const KEY_FIELDS: readonly Field[] = [
  ...([
    'provider',
    'account',
    'period',
    'resource',
    'type',
    'service',
    'region',
    'category',
    'currency',
  ] as const),
];

function rawName(column: number): string {
  return `raw_${column}`;
}

/** A text of the keys, over `rawColumns`. */
function keyText(layout: Layout, field: Field): string {
  return firstOf(layout.columns[field].map((column) => plainText(rawName(column))));
}

/** The keys of a sum but its day, over `rawColumns`, in the order of `KEYS`. */
function keysOf(layout: Layout, window: Window): string {
  const text = (field: Field) => keyText(layout, field);
  return [
    ...[providerOf(text('provider'), window.provider), text('account'), `left(${text('period')}, 7)`],
    ...[text('resource'), text('type'), text('service'), text('region')],
    ...[categoryOf(text('category'), layout), `upper(${text('currency')})`, tagsOf(layout)],
  ].join(', ');
}

/**
 * `rawColumns` of every line, its day and its amounts. `plain_…` is the amount where a decimal holds it to the last digit,
 * `is_small_…` tells those whose sums a decimal holds as well. Costly checks are branches of CASE, which only looks at
 * lines that need them; AND and OR look at all.
 */
function checkedLines(source: LineSource, layout: Layout, window: Window, more = ''): string {
  const raw = rawColumns(source, layout);
  const names = raw.map(({ name }) => name).join(', ');
  const field = (name: Field) =>
    firstOf(layout.columns[name].map((column) => plainText(source.text(column))));
  const texts = `SELECT ${more} ${raw.map(({ name, value }) => `${value} AS ${name}`).join(', ')}, ${field('start')} AS start,
    ltrim(${field('billed')}, '+') AS billed, ltrim(${effectiveOf(source, layout, field('category'))}, '+') AS effective FROM ${source.from}`;
  const plain = (name: string) =>
    `CASE WHEN length(${name}) <= 32 AND NOT contains(${name}, '_') THEN TRY_CAST(${name} AS DECIMAL(38,30)) END AS plain_${name}`;
  const small = (name: string) => `coalesce(abs(plain_${name}) < 1, false) AS is_small_${name}`;
  const values = `SELECT ${more} ${names}, billed, effective, ${plain('billed')}, ${plain('effective')}, ${small('billed')}, ${small('effective')},
    CASE WHEN contains(substr(start, 12), '+') OR contains(substr(start, 12), '-')
      THEN CAST(TRY_CAST(start AS TIMESTAMPTZ) AT TIME ZONE 'UTC' AS DATE) ELSE CAST(TRY_CAST(start AS TIMESTAMP) AS DATE) END AS charge_date FROM (${texts})`;
  const isAmount = (name: string) =>
    `CASE WHEN plain_${name} IS NOT NULL THEN true ELSE regexp_full_match(${name}, '${AMOUNT}') AND ${fraction(name)} IS NOT NULL END`;
  const currency = keyText(layout, 'currency');
  return `SELECT *, CASE WHEN NOT ${isAmount('billed')} THEN 1
      WHEN NOT CASE WHEN ${currency} IN ('USD', 'EUR') THEN true ELSE regexp_full_match(upper(${currency}), '[A-Z]{3}') END THEN 2 WHEN charge_date IS NULL THEN 3
      WHEN charge_date < DATE '2000-01-01' OR charge_date >= DATE ${quoted(window.until)} THEN 4
      WHEN NOT ${isAmount('effective')} THEN 5 ELSE 0 END AS problem FROM (${values})`;
}

/** Without white space around, NUL and the text `NULL`; never null. */
function plainText(value: string): string {
  return `coalesce(left(replace(nullif(nullif(trim(${value}), 'NULL'), 'null'), chr(0), ''), ${MAX_TEXT}), '')`;
}

function firstOf(texts: readonly string[]): string {
  if (texts.length === 0) return `''`;
  return texts.length === 1
    ? (texts[0] ?? `''`)
    : `coalesce(${texts.map((text) => `nullif(${text}, '')`).join(', ')}, '')`;
}

function categoryOf(category: string, { categories }: Layout): string {
  const cases = [...categories].map(([from, to]) => `WHEN ${quoted(from)} THEN ${quoted(to)}`).join(' ');
  return cases === '' ? category : `CASE lower(${category}) ${cases} ELSE ${category} END`;
}

function providerOf(named: string, fallback: string): string {
  const cases = PROVIDER_NAMES.map(([from, to]) => `WHEN ${quoted(from)} THEN ${quoted(to)}`).join(' ');
  return `CASE lower(${named}) WHEN '' THEN ${quoted(fallback)} ${cases} ELSE left(lower(${named}), 60) END`;
}

/** The billed cost where the file has no effective one. */
function effectiveOf(source: LineSource, layout: Layout, category: string): string {
  const billed = firstOf(layout.columns.billed.map((column) => plainText(source.text(column))));
  const plain = layout.columns.effective.map((column) => plainText(source.text(column)));
  const special = layout.effectiveByCategory.map(
    ({ category: name, column }) =>
      `CASE WHEN lower(${category}) = ${quoted(name)} THEN ${plainText(source.text(column))} ELSE '' END`,
  );
  return firstOf([...special, ...plain, billed]);
}

/** A JSON object of texts. What is no object, too long, or holds what PostgreSQL cannot store is left out. */
function tagsOf({ tagMap, tags }: Layout): string {
  if (tagMap !== undefined) {
    const text = 'raw_tags';
    const isObject = `length(${text}) <= ${MAX_TAGS} AND json_valid(${text}) AND left(ltrim(${text}), 1) = '{'`;
    const object = `CAST(to_json(CAST(from_json(CASE WHEN ${isObject} THEN ${text} ELSE '{}' END, '"MAP(VARCHAR, VARCHAR)"') AS MAP(VARCHAR, VARCHAR))) AS VARCHAR)`;
    return storableJson(object);
  }
  if (tags.length === 0) return `'{}'`;
  const entries = tags
    .map(({ key, column }) => `{'k': ${quoted(key.slice(0, 256))}, 'v': ${plainText(rawName(column))}}`)
    .join(', ');
  const filled = `list_filter([${entries}], lambda e: e.v <> '')`;
  return storableJson(
    `CAST(to_json(map(list_transform(${filled}, lambda e: e.k), list_transform(${filled}, lambda e: e.v))) AS VARCHAR)`,
  );
}

function storableJson(object: string): string {
  return `CASE WHEN contains(${object}, '\\u0000') THEN '{}' ELSE coalesce(${object}, '{}') END`;
}

function whole(name: string): string {
  return `CASE WHEN is_small_${name} OR contains(lower(${name}), 'e') THEN 0
    ELSE coalesce(TRY_CAST(split_part(${name}, '.', 1) AS HUGEINT), 0) END`;
}

function fraction(name: string): string {
  return `CASE WHEN is_small_${name} THEN plain_${name} WHEN contains(lower(${name}), 'e') THEN TRY_CAST(${name} AS DECIMAL(38,30))
    ELSE TRY_CAST((CASE WHEN starts_with(${name}, '-') THEN '-0.' ELSE '0.' END) || coalesce(nullif(split_part(${name}, '.', 2), ''), '0') AS DECIMAL(38,30)) END`;
}

/** A text literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name of a column. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
