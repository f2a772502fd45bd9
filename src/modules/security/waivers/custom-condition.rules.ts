import { httpErrors } from '../../../platform/errors/index.js';
import { compiledPattern } from '../engine/comparisons.rules.js';
import type { Comparison, Condition, Scalar } from '../engine/condition.js';

const MAX_DEPTH = 30;
const MAX_NODES = 500;
const MAX_TEXT_LENGTH = 1_000;
const MAX_LIST_LENGTH = 200;
const WITH_VALUE: ReadonlySet<string> = new Set([
  'eq',
  'ne',
  'eqi',
  'in',
  'nin',
  'gt',
  'ge',
  'lt',
  'le',
  'contains',
  'regex',
]);
const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  'true',
  'nottrue',
  'false',
  'notfalse',
  'empty',
  'notempty',
]);
const WITH_LIST: ReadonlySet<string> = new Set(['in', 'nin']);
const WITH_NUMBER: ReadonlySet<string> = new Set(['gt', 'ge', 'lt', 'le']);

/** Reads a condition that somebody wrote; a mistake is 400 and named by its place, such as `fail.any[1].op`. */
export function parseCondition(value: unknown, place: string): Condition {
  return new ConditionParser().parse(value, place, 1);
}

class ConditionParser {
  private nodes = 0;

  parse(value: unknown, place: string, depth: number): Condition {
    if (depth > MAX_DEPTH) throw wrong(short(place), `exceeds ${MAX_DEPTH} levels`);
    this.nodes += 1;
    if (this.nodes > MAX_NODES) throw wrong(short(place), `exceeds ${MAX_NODES} conditions`);
    const object = objectOf(value, place);
    if ('a' in object) return this.comparison(object, place);
    if ('any' in object) return { any: this.list(onlyOf(object, place, 'any'), `${place}.any`, depth) };
    if ('all' in object) return { all: this.list(onlyOf(object, place, 'all'), `${place}.all`, depth) };
    if ('not' in object)
      return { not: this.parse(onlyOf(object, place, 'not')['not'], `${place}.not`, depth + 1) };
    if ('some' in object) {
      onlyOf(object, place, 'some', 'where');
      return {
        some: textOf(object['some'], `${place}.some`),
        where: this.parse(object['where'], `${place}.where`, depth + 1),
      };
    }
    if ('world' in object) {
      onlyOf(object, place, 'world');
      return { world: textsOf(object['world'], `${place}.world`) };
    }
    if ('linked' in object) {
      onlyOf(object, place, 'linked');
      return { linked: this.linked(object['linked'], `${place}.linked`, depth) };
    }
    throw wrong(place, 'must have one of a, any, all, not, some, world, linked');
  }

  private list(object: Record<string, unknown>, place: string, depth: number): Condition[] {
    const items = Object.values(object)[0];
    if (!Array.isArray(items)) throw wrong(place, 'must be a list of conditions');
    return items.map((item, index) => this.parse(item, `${place}[${index}]`, depth + 1));
  }

  private linked(value: unknown, place: string, depth: number) {
    const object = onlyOf(objectOf(value, place), place, 'type', 'via', 'where');
    const type = textsOf(object['type'], `${place}.type`);
    const via = textOf(object['via'], `${place}.via`);
    if (object['where'] === undefined) return { type, via };
    return { type, via, where: this.parse(object['where'], `${place}.where`, depth + 1) };
  }

  private comparison(object: Record<string, unknown>, place: string): Condition {
    onlyOf(object, place, 'a', 'op', 'v');
    const a = textOf(object['a'], `${place}.a`);
    const op = object['op'];
    if (typeof op !== 'string' || !(WITH_VALUE.has(op) || WITHOUT_VALUE.has(op)))
      throw wrong(`${place}.op`, `must be one of ${[...WITH_VALUE, ...WITHOUT_VALUE].join(', ')}`);
    if (WITHOUT_VALUE.has(op)) {
      if (object['v'] !== undefined) throw wrong(`${place}.v`, `must be absent with ${op}`);
      return { a, op: op as Comparison };
    }
    return { a, op: op as Comparison, v: this.operand(op, object['v'], `${place}.v`) };
  }

  private operand(op: string, value: unknown, place: string): Scalar | Scalar[] {
    if (WITH_LIST.has(op)) {
      if (!Array.isArray(value) || !value.every(isScalar)) throw wrong(place, 'must be a list of values');
      if (value.length > MAX_LIST_LENGTH) throw wrong(place, `exceeds ${MAX_LIST_LENGTH} values`);
      return value;
    }
    if (!isScalar(value)) throw wrong(place, 'must be a text, a number, a boolean or null');
    if (WITH_NUMBER.has(op) && typeof value !== 'number') throw wrong(place, 'must be a number');
    if (op === 'regex' && (typeof value !== 'string' || compiledPattern(value) === undefined))
      throw wrong(place, 'must be a regular expression (RE2 syntax)');
    return value;
  }
}

function objectOf(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(place, 'must be a condition object');
  return value as Record<string, unknown>;
}

function onlyOf(object: Record<string, unknown>, place: string, ...names: string[]): Record<string, unknown> {
  if (Object.keys(object).some((name) => !names.includes(name)))
    throw wrong(place, `must have nothing besides ${names.join(', ')}`);
  return object;
}

function textOf(value: unknown, place: string): string {
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) throw wrong(place, 'must be a text');
  return value;
}

function textsOf(value: unknown, place: string): string[] {
  if (!Array.isArray(value) || value.length === 0) throw wrong(place, 'must be a list of texts');
  if (value.length > MAX_LIST_LENGTH) throw wrong(place, `exceeds ${MAX_LIST_LENGTH} texts`);
  return value.map((item, index) => textOf(item, `${place}[${index}]`));
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= MAX_TEXT_LENGTH;
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

function wrong(place: string, what: string): Error {
  return httpErrors.INVALID_REQUEST(`${place} ${what}`);
}

/** The beginning of a place that is deeper than anybody reads. */
function short(place: string): string {
  return place.length <= 80 ? place : `${place.slice(0, 80)}…`;
}
