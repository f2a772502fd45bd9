import type { Field, Layout } from './column-names.rules.js';
import { AMOUNT, type LineProblem, PROVIDER_NAMES, UTC_TIME } from './line-problems.rules.js';

const SCALE = 30;
const UNIT = 10n ** BigInt(SCALE);
const AMOUNT_SYNTAX = new RegExp(`^(?:${AMOUNT})$`);
const UTC_SYNTAX = new RegExp(`^(?:${UTC_TIME})$`);
const OFFSET_SYNTAX = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?[+-]\d\d(?::?\d\d)?$/;
const MAX_TEXT = 600;
const PROVIDERS = new Map(PROVIDER_NAMES);

/** A line as the reader sums it up. Amounts are whole numbers of 10^-30. */
export interface PlainLine {
  /** texts in the order of `GATHERED_COLUMNS`, tags included */
  keys: string[];
  billed: bigint;
  effective: bigint;
}

/** The line without what is not kept, or the number of its problem. */
export function plainLine(
  textOf: (column: number) => string | undefined,
  layout: Layout,
  window: { provider: string; until: string },
): PlainLine | LineProblem {
  const field = (name: Field) => firstOf(layout.columns[name], textOf);
  const category = field('category');
  const billed = amountOf(field('billed'));
  if (billed === undefined) return 1;
  const currency = field('currency').toUpperCase();
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  const day = dayOf(field('start'));
  if (day === undefined) return 3;
  if (day < '2000-01-01' || day >= window.until) return 4;
  const special = layout.effectiveByCategory.filter((entry) => entry.category === category.toLowerCase());
  const named = firstOf([...special.map(({ column }) => column), ...layout.columns.effective], textOf);
  const effective = named === '' ? billed : amountOf(named);
  if (effective === undefined) return 5;
  const provider = field('provider').toLowerCase();
  const keys = [
    day,
    provider === '' ? window.provider : (PROVIDERS.get(provider) ?? provider.slice(0, 60)),
    field('account'),
    field('period').slice(0, 7),
    ...[field('resource'), field('type'), field('service'), field('region')],
    layout.categories.get(category.toLowerCase()) ?? category,
    currency,
    tagsOf(layout, textOf),
  ];
  return { keys, billed, effective };
}

/** Whole and fraction of a sum, as the reader writes them. */
export function wholeAndFraction(sum: bigint): [whole: string, fraction: string] {
  const rest = sum % UNIT;
  const digits = (rest < 0n ? -rest : rest).toString().padStart(SCALE, '0');
  return [(sum / UNIT).toString(), `${rest < 0n ? '-' : ''}0.${digits}`];
}

function amountOf(text: string): bigint | undefined {
  if (!AMOUNT_SYNTAX.test(text)) return undefined;
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = BigInt(whole + fraction);
  const shift = SCALE - fraction.length + Number(exponent);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return mantissa.startsWith('-') ? -size : size;
}

function dayOf(text: string): string | undefined {
  if (UTC_SYNTAX.test(text)) {
    const day = text.slice(0, 10);
    const time = new Date(`${day}T00:00:00Z`);
    return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day) ? day : undefined;
  }
  if (!OFFSET_SYNTAX.test(text)) return undefined;
  const time = new Date(
    text
      .replace(' ', 'T')
      .replace(/([+-]\d\d)(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`),
  );
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().slice(0, 10);
}

function tagsOf({ tagMap, tags }: Layout, textOf: (column: number) => string | undefined): string {
  if (tagMap !== undefined) return objectOf(textOf(tagMap) ?? '');
  const filled = tags.flatMap(({ key, column }) => {
    const value = plainText(textOf(column));
    return value === '' ? [] : [[key.slice(0, 256), value]];
  });
  return JSON.stringify(Object.fromEntries(filled));
}

/** A JSON object with texts as values; `{}` for everything else. */
function objectOf(text: string): string {
  if (text.length > 16_384 || !text.trimStart().startsWith('{')) return '{}';
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>).map(([key, value]) => [
      key,
      value === null || typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const written = JSON.stringify(Object.fromEntries(entries));
    return written.includes('\\u0000') || written.includes('\\ud') ? '{}' : written;
  } catch {
    return '{}';
  }
}

function firstOf(columns: readonly number[], textOf: (column: number) => string | undefined): string {
  for (const column of columns) {
    const text = plainText(textOf(column));
    if (text !== '') return text;
  }
  return '';
}

function plainText(value: string | undefined): string {
  const text = (value ?? '').trim();
  return text === 'NULL' || text === 'null' ? '' : text.replaceAll('\0', '').slice(0, MAX_TEXT);
}
