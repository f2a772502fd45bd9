import { barePlace, type BarePlace, nestedLabels } from './bare-places.rules.js';
import type { HclParser } from './hcl-parser.js';
import type { HclBlock, HclBody, HclExpression } from './hcl-tree.js';

/** Values of JSON. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** Names and labels at the top of a file, and what stands for them in JSON (Terraform's block types). */
export const TOP_LABELS: Readonly<Record<string, number>> = {
  resource: 2,
  data: 2,
  ephemeral: 2,
  module: 1,
  variable: 1,
  output: 1,
  provider: 1,
  check: 1,
  locals: 0,
  terraform: 0,
  moved: 0,
  import: 0,
  removed: 0,
};

/** Turns what the parser read into Terraform's JSON syntax: blocks into lists of objects, expressions into `"${…}"`. */
export class BlockData {
  constructor(private readonly parser: HclParser) {}

  /** The body of a block; `path` as in `barePlace`. */
  body(body: HclBody, path: readonly string[]): JsonObject {
    const data: JsonObject = {};
    for (const { name, value } of body.attributes) {
      const place = barePlace(path, name);
      if (place) put(data, name, this.bare(value, place));
      else if (path.at(-1) === 'required_providers') put(data, name, this.requiredProvider(value));
      else put(data, name, this.argument(value));
    }
    const set = new Set(body.attributes.map(({ name }) => name));
    for (const block of body.blocks) {
      if (set.has(block.type)) this.parser.fail(`${block.type} is an argument and a block`, block.start);
      this.nested(data, block, path);
    }
    return data;
  }

  /** A value as JSON; what only Terraform can evaluate is `"${…}"`. */
  value(expression: HclExpression): Json {
    switch (expression.kind) {
      case 'template':
        return expression.text;
      case 'number':
        return this.number(expression);
      case 'keyword':
        return KEYWORDS[this.parser.source(expression)] ?? null;
      case 'tuple':
        return expression.items.map((item) => this.value(item));
      case 'object':
        return this.object(expression.items) ?? this.wrapped(expression);
      case 'name':
        return this.wrapped(expression);
      case 'other': {
        const negative = NEGATIVE.exec(this.parser.source(expression))?.[1];
        return negative !== undefined && isExact(negative) ? -Number(negative) : this.wrapped(expression);
      }
    }
  }

  /** A list of nothing but objects would read as blocks: it stays an expression. */
  private argument(expression: HclExpression): Json {
    const isListOfObjects =
      expression.kind === 'tuple' &&
      expression.items.length > 0 &&
      expression.items.every((item) => item.kind === 'object');
    return isListOfObjects ? this.wrapped(expression) : this.value(expression);
  }

  private nested(data: JsonObject, block: HclBlock, path: readonly string[]): void {
    const { type, labels, body, start } = block;
    if (labels.length !== nestedLabels(path, type)) {
      this.parser.fail(`a ${type} block has ${nestedLabels(path, type)} labels here`, start);
    }
    const inside = type === 'content' || path.at(-1) === 'dynamic' ? [...path, 'content'] : [...path, type];
    let value: Json = this.body(body, inside);
    for (const label of [...labels].reverse()) value = put({}, label, value);
    const before = own(data, type);
    if (Array.isArray(before)) before.push(value);
    else put(data, type, [value]);
  }

  private requiredProvider(expression: HclExpression): Json {
    if (expression.kind !== 'object') return this.value(expression);
    const data: JsonObject = {};
    for (const { key, value } of expression.items) {
      const name = this.key(key);
      const place = name === undefined ? undefined : barePlace(['terraform', 'required_providers'], name);
      if (name !== undefined) put(data, name, place ? this.bare(value, place) : this.value(value));
    }
    return data;
  }

  private bare(expression: HclExpression, place: BarePlace): Json {
    switch (place) {
      case 'names':
        return expression.kind === 'tuple'
          ? expression.items.map((item) => this.name(item))
          : this.name(expression);
      case 'name map':
        if (expression.kind !== 'object') return this.name(expression);
        return Object.fromEntries(
          expression.items.map(({ key, value }) => [this.name(key), this.name(value)]),
        );
      case 'name':
      case 'type':
        return this.name(expression);
    }
  }

  private name(expression: HclExpression): string {
    return expression.kind === 'template' ? expression.text : this.parser.source(expression);
  }

  private object(items: readonly { key: HclExpression; value: HclExpression }[]): JsonObject | undefined {
    const data: JsonObject = {};
    for (const { key, value } of items) {
      const name = this.key(key);
      if (name === undefined || own(data, name) !== undefined) return undefined;
      put(data, name, this.value(value));
    }
    return data;
  }

  private key(key: HclExpression): string | undefined {
    switch (key.kind) {
      case 'name':
      case 'keyword':
        return this.parser.source(key);
      case 'template':
        return key.text;
      case 'number': {
        const text = this.parser.source(key);
        return /^(?:0|[1-9]\d{0,14})$/.test(text) ? text : undefined;
      }
      case 'tuple':
      case 'object':
        return undefined;
      case 'other':
        return this.wrapped(key);
    }
  }

  /** A number that JavaScript would round stays as it was written. */
  private number(expression: HclExpression): Json {
    const text = this.parser.source(expression);
    return isExact(text) ? Number(text) : `\${${text}}`;
  }

  private wrapped(expression: HclExpression): string {
    return `\${${this.parser.source(expression)}}`;
  }
}

/** Defaults of variables are read without evaluating: a negative number has to be one. */
const NEGATIVE = /^-\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const KEYWORDS: Readonly<Record<string, Json>> = { true: true, false: false, null: null };

/** True when the number has few enough digits to come back as written. */
export function isExact(text: string): boolean {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace('.', '')
    .replace(/^0+/, '');
  return (
    digits.length <= 15 &&
    Math.abs(Number(text)) < 1e21 &&
    (Number(text) === 0 || Math.abs(Number(text)) >= 1e-6)
  );
}

/** Sets any name, also one that objects of JavaScript treat apart; answers the object. */
export function put<T extends JsonObject>(target: T, name: string, value: Json): T {
  // Defining every member would be slow; only this one has to be.
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  } else (target as JsonObject)[name] = value;
  return target;
}

/** A property of the object's own. */
export function own(target: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(target, name) ? target[name] : undefined;
}
