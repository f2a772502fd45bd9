import { RE2JS } from 're2js';
import {
  elementsOf,
  isList,
  isRecord,
  type Json,
  numberOf,
  textOf,
  UNKNOWN,
} from './attribute-path.rules.js';
import type { Comparison, Scalar } from './condition.js';
import { notTruth, someTruth, type Truth } from './truth.rules.js';

/** What all regular expressions of one condition search on one instance; beyond, the result is unknown. */
const MAX_SEARCHED_CHARACTERS = 256 * 1024;
const MAX_CACHED_PATTERNS = 2_000;
const TRUTHY = new Set(['true', 'yes', 'on', 'y', '1']);
const FALSY = new Set(['false', 'no', 'off', 'n', '0']);
const patterns = new Map<string, RE2JS | undefined>();

/** How much regular expressions have searched so far: a condition may hold many, and run on many elements. */
export interface SearchBudget {
  searched: number;
}

type Operand = Scalar | readonly Scalar[] | undefined;

/** Compares an attribute's value; an unknown value is unknown under every comparison. */
export function compare(
  op: Comparison,
  value: Json | undefined,
  operand: Operand,
  budget: SearchBudget = { searched: 0 },
): Truth {
  if (value === UNKNOWN) return undefined;
  switch (op) {
    case 'eq':
      return equals(value, single(operand));
    case 'ne':
      return !equals(value, single(operand));
    case 'eqi':
      return equalsIgnoringCase(value, single(operand));
    case 'in':
      return listed(operand).some((item) => equals(value, item));
    case 'nin':
      return !listed(operand).some((item) => equals(value, item));
    case 'ini':
      return listed(operand).some((item) => equalsIgnoringCase(value, item));
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return order(op, numberOf(value), numberOf(single(operand)));
    case 'lt_or_absent':
      return value === undefined || value === '' || order('lt', numberOf(value), numberOf(single(operand)));
    case 'contains':
      return someTruth(listed(operand), (item) => has(value, item));
    case 'regex':
      return search(value, single(operand), budget);
    case 'true':
      return isText(value, 'true');
    case 'nottrue':
      return !isText(value, 'true');
    case 'false':
      return isText(value, 'false');
    case 'notfalse':
      return !isText(value, 'false');
    case 'truthy':
      return isOneOf(value, TRUTHY);
    case 'nottruthy':
      return !isOneOf(value, TRUTHY);
    case 'falsy':
      return isOneOf(value, FALSY);
    case 'empty':
      return isBlank(value);
    case 'notempty':
      return notTruth(isBlank(value));
  }
}

/** Compiles a regular expression once; undefined when the pattern is malformed. */
export function compiledPattern(pattern: string): RE2JS | undefined {
  if (patterns.has(pattern)) return patterns.get(pattern);
  let compiled: RE2JS | undefined;
  try {
    compiled = RE2JS.compile(pattern);
  } catch {
    compiled = undefined;
  }
  if (patterns.size >= MAX_CACHED_PATTERNS) patterns.clear();
  patterns.set(pattern, compiled);
  return compiled;
}

/** Scalars are equal when their texts are; null and '' equal an absent value. */
export function equals(value: Json | undefined, operand: Scalar | undefined): boolean {
  const text = textOf(value) ?? '';
  if (typeof value === 'object' && value !== null) return false;
  return text === (textOf(operand) ?? '');
}

function equalsIgnoringCase(value: Json | undefined, operand: Scalar | undefined): boolean {
  if (typeof value === 'object' && value !== null) return false;
  return (textOf(value) ?? '').toLowerCase() === (textOf(operand) ?? '').toLowerCase();
}

function order(op: 'gt' | 'ge' | 'lt' | 'le', left: number | undefined, right: number | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  if (op === 'gt') return left > right;
  if (op === 'ge') return left >= right;
  return op === 'lt' ? left < right : left <= right;
}

function has(value: Json | undefined, operand: Scalar): Truth {
  if (typeof value === 'string') return value.includes(textOf(operand) ?? '');
  return someTruth(elementsOf(value), (element) =>
    element === UNKNOWN ? undefined : equals(element, operand),
  );
}

function search(value: Json | undefined, operand: Scalar | undefined, budget: SearchBudget): Truth {
  const text = textOf(value);
  const pattern = textOf(operand);
  if (text === undefined || pattern === undefined) return false;
  budget.searched += text.length;
  if (budget.searched > MAX_SEARCHED_CHARACTERS) return undefined;
  const compiled = compiledPattern(pattern);
  return compiled === undefined ? undefined : compiled.matcher(text).find();
}

function isText(value: Json | undefined, text: string): boolean {
  if (typeof value === 'boolean') return String(value) === text;
  return typeof value === 'string' && value.toLowerCase() === text;
}

function isOneOf(value: Json | undefined, texts: ReadonlySet<string>): boolean {
  const text = textOf(value);
  return text !== undefined && texts.has(text.toLowerCase());
}

function isBlank(value: Json | undefined): Truth {
  if (value === undefined || value === null || value === '') return true;
  if (isList(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function single(operand: Operand): Scalar | undefined {
  return listed(operand)[0];
}

function listed(operand: Operand): readonly Scalar[] {
  if (operand === undefined) return [];
  return Array.isArray(operand) ? (operand as readonly Scalar[]) : [operand as Scalar];
}
