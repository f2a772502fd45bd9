import { QueryRefused } from '../mql.errors.js';
import type { Expansion } from './name-scope.js';
import {
  constantInteger,
  constantText,
  fieldsOf,
  isTree,
  listOf,
  nodeOf,
  textOf,
  type Tree,
} from './query-tree.js';

/**
 * Some functions of PostgreSQL compare everything with everything in loops that no timeout stops. One unit of effort
 * is to look at each byte of one value once: one or two milliseconds for an attribute of 2 MB.
 */
export const MOST_EFFORT = 1000;
const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const each = (names: string, effort: number) => words(names).map((name): [string, number] => [name, effort]);

/** Functions whose second argument is looked for at each place of the first, and what one character of it takes. */
export const SEEKING: ReadonlyMap<string, number> = new Map([
  ...each('strpos position replace split_part string_to_array', 1),
  ...each('translate btrim ltrim rtrim', 4),
]);
export const LIKE_OPERATORS: ReadonlySet<string> = new Set(words('~~ ~~* !~~ !~~*'));
/** Each part of one side is looked for among the parts of the other. */
const LIST_OPERATORS = new Set(words('@> <@ && ?| ?& -'));
const LIST_EFFORT = 4;
/** Numbers have at most so many digits; the longest two are multiplied in some 50 ms. */
const MOST_DIGITS = 131_072;
const PRODUCTS = new Set(
  words('* / % div mod width_bucket stddev stddev_pop stddev_samp variance var_pop var_samp'),
);
const LONGEST_PRODUCT = 40;

export const hasProduct = (name: string): boolean => PRODUCTS.has(name);

export function effortOfProduct(factors: readonly Expansion[]): number {
  const digits = Math.min(MOST_DIGITS, ...factors.map(({ length }) => length));
  return (LONGEST_PRODUCT * digits) / MOST_DIGITS;
}

/** What an operator does besides reading both sides; throws when there is no bound on it. */
export function effortOfOperator(
  name: string,
  left: Expansion,
  right: Expansion,
  place: number | undefined,
): number {
  if (PRODUCTS.has(name)) return effortOfProduct([left, right]);
  if (!LIST_OPERATORS.has(name)) return 0;
  const parts = name === '-' ? right.parts : Math.min(left.parts, right.parts);
  if (parts === Infinity)
    throw new QueryRefused(
      'RESOURCE_LIMIT_ERR',
      `one side of ${name} is a constant, or made of single values by ARRAY[…] or jsonb_build_object(…)`,
      place,
    );
  return parts === 1 ? 0 : LIST_EFFORT * parts * Math.max(left.size, right.size);
}

/** Characters that LIKE compares at each place: the longest run after a %. */
export function longestRun(pattern: string): number {
  const [, ...runs] = pattern.replace(/\\./gs, '.').split('%');
  return Math.max(0, ...runs.map((run) => run.length));
}

/** The values of one constant. */
export function constantExpansion(fields: Tree): Expansion {
  const { sval, fval } = fields;
  const number = isTree(fval) ? (textOf(fval['fval']) ?? '') : '';
  const text = isTree(sval) ? (textOf(sval['sval']) ?? '') : number;
  const length = Math.max(20, text.length) + grownBy(text);
  return {
    refs: 0,
    size: Math.ceil(Math.max(1, length / BYTES_OF_SIZE)),
    length,
    parts: 1 + (text.match(/[,:[{]/g) ?? []).length,
  };
}

/** What a size of one stands for in a constant: as long as a query may be. */
const BYTES_OF_SIZE = 16 * 1024;

/** Digits that numbers like 1e131071 have when they are written out. */
function grownBy(text: string): number {
  const exponents = [...text.matchAll(/\d\.?e[+-]?0*(\d{3,})/gi)];
  return exponents.reduce((total, [, digits]) => total + Math.min(Number(digits), MOST_DIGITS), 0);
}

/** What a function or a cast to a type of few characters answers. */
export const SHORT = { length: 64, parts: 1 };
const UNKNOWN = { length: Infinity, parts: Infinity };

type Reach = Pick<Expansion, 'length' | 'parts'>;

const SHORT_RESULTS = new Set(
  words(`
  length char_length character_length octet_length position strpos starts_with ascii chr md5 regexp_count regexp_like
  sign num_nulls num_nonnulls now date_trunc date_part extract age make_date make_timestamp make_timestamptz make_interval
  justify_days justify_hours justify_interval isfinite date_bin timezone overlaps to_date to_timestamp
  jsonb_array_length jsonb_typeof jsonb_path_exists jsonb_path_match jsonb_contains array_length array_ndims array_lower
  array_upper cardinality array_position host masklen netmask network family broadcast
  count bool_and bool_or every row_number rank dense_rank percent_rank cume_dist ntile`),
);
/** Text or a number that is no longer than the first argument, but for letters that change their case. */
const SHORTENING = new Set(
  words(
    'lower upper initcap btrim ltrim rtrim substring substr left right split_part reverse translate regexp_substr',
  ),
);
/** One of the values they are given. */
const CHOOSING = new Set(words('min max first_value last_value lag lead nth_value abs ceil ceiling floor'));
const CALCULATING = new Set(words('sum avg'));
/** Text of any length. */
const TEXTS = new Set(
  words(
    'concat concat_ws overlay replace regexp_replace array_to_string string_agg to_char jsonb_extract_path_text',
  ),
);
const SINGLE_SETS = new Set(words('jsonb_array_elements_text jsonb_each_text jsonb_object_keys'));
const DOCUMENTS = new Set(words('to_jsonb jsonb_build_object jsonb_build_array'));

/** How long the result of a function can be, and how many parts it can have. */
export function reachOfCall(name: string, values: unknown, args: readonly Expansion[]): Reach {
  if (SHORT_RESULTS.has(name)) return SHORT;
  const longest = Math.max(0, ...args.map(({ length }) => length));
  if (SHORTENING.has(name)) return { length: Math.min(3 * longest, charactersOf(name, values)), parts: 1 };
  if (CHOOSING.has(name)) return { length: longest, parts: Math.max(1, ...args.map(({ parts }) => parts)) };
  if (CALCULATING.has(name)) return { length: longest + 64, parts: 1 };
  const together = args.reduce((total, { length }) => total + length, 0);
  if (name === 'concat') return { length: together, parts: 1 };
  if (name === 'like_escape' || name === 'similar_to_escape') return { length: 2 * together + 16, parts: 1 };
  if (TEXTS.has(name) || SINGLE_SETS.has(name)) return { length: Infinity, parts: 1 };
  if (DOCUMENTS.has(name))
    return {
      length: 2 * together + 8 * args.length,
      parts: 1 + args.reduce((total, { parts }) => total + parts, 0),
    };
  return UNKNOWN;
}

/** `left(x, 10)`, `substring(x, 1, 10)` */
function charactersOf(name: string, values: unknown): number {
  const [, second, third] = listOf(values);
  const count = /^(left|right)$/.test(name) ? second : /^substr(ing)?$/.test(name) ? third : undefined;
  const characters = count === undefined ? undefined : constantInteger(count);
  return characters === undefined || characters < 0 ? Infinity : characters;
}

export function reachOfOperator(name: string, left: Expansion, right: Expansion): Reach {
  const together = left.length + right.length + 64;
  if (name === '||') return { length: left.length + right.length, parts: left.parts + right.parts };
  if (/^[*/%]$/.test(name)) return { length: together, parts: 1 };
  if (/^[+-]$|^#-$/.test(name)) return { length: together, parts: left.parts };
  if (/^[-#]>>$/.test(name)) return { length: left.length, parts: 1 };
  if (/^[-#]>$/.test(name)) return { length: left.length, parts: left.parts };
  return SHORT;
}

/** How long a value is after a cast. */
export function reachOfCast(type: Tree, name: string, value: unknown, from: Expansion): Reach {
  const isList = listOf(type['arrayBounds']).length > 0;
  const isWhole = constantText(value) !== undefined || fieldsOf(value, 'A_ArrayExpr') !== undefined;
  if (isList || name === 'jsonb')
    return isWhole
      ? { length: 2 * from.length, parts: from.parts }
      : { length: 2 * from.length, parts: Math.max(from.parts, from.length) };
  if (name === 'text') return { length: from.length, parts: 1 };
  if (name === 'varchar') {
    const most = constantInteger(listOf(type['typmods'])[0]);
    return { length: Math.min(from.length, most ?? Infinity), parts: 1 };
  }
  if (name !== 'numeric') return SHORT;
  // Eight characters say 1e131071.
  return { length: nodeOf(value)?.kind === 'A_Const' ? from.length : Infinity, parts: 1 };
}

/** How long values of a column are. */
export function reachOfColumn(type: string): Reach {
  if (type === 'jsonb' || type.endsWith('[]')) return UNKNOWN;
  return type === 'text' || type === 'numeric' ? { length: Infinity, parts: 1 } : SHORT;
}
