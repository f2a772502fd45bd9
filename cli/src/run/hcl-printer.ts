import {
  barePlace,
  type BarePlace,
  hasSchemaBlocks,
  isOwnBlock,
  nestedLabels,
} from '../configuration/bare-places.rules.js';
import type { Json, JsonObject } from '../configuration/block-data.rules.js';
import { isObject } from '../configuration/configuration-block.js';
import { HclParser } from '../configuration/hcl-parser.js';
import { HclSyntaxError } from '../configuration/hcl-syntax-error.js';
import type { TemplatePart } from '../configuration/hcl-tree.js';

/** Changes the inside of an expression or a template sequence before it is written. */
export type Rewrite = (source: string) => string;

/**
 * Writes a block of Terraform's JSON syntax in the native one. It says more: a list of objects is blocks, all else an
 * argument, where a provider's schema would let the JSON syntax be read either way; and constant expressions of places
 * that are not evaluated stay expressions.
 */
export class HclPrinter {
  constructor(private readonly rewrite: Rewrite = (source) => source) {}

  /** The blocks of one object `{"resource": {"aws_vpc": {"main": {…}}}}`, `labels` as many as its kind has. */
  block(kind: string, labels: readonly string[], body: Json): string {
    return this.header(kind, labels, '') + this.body(isObject(body) ? body : {}, [kind], '  ') + '}\n';
  }

  private header(kind: string, labels: readonly string[], indent: string): string {
    return `${indent}${[kind, ...labels.map(quotedLabel)].join(' ')} {\n`;
  }

  private body(body: JsonObject, path: readonly string[], indent: string): string {
    let text = '';
    for (const [name, value] of Object.entries(body)) {
      if (name === '//') continue;
      const place = barePlace(path, name);
      if (place) text += `${indent}${name} = ${this.bare(value, place)}\n`;
      else if (isBlocks(value, path, name)) text += this.blocks(name, value, path, indent);
      else if (path.at(-1) === 'required_providers' && isObject(value))
        text += `${indent}${name} = ${this.requirement(value)}\n`;
      else text += `${indent}${name} = ${this.value(value)}\n`;
    }
    return text;
  }

  private blocks(type: string, value: Json, path: readonly string[], indent: string): string {
    return listOf(value)
      .flatMap((item) => labelled(item, nestedLabels(path, type)))
      .map(({ labels, body }) => {
        const inside = path.at(-1) === 'dynamic' ? [...path, 'content'] : [...path, type];
        return `${this.header(type, labels, indent)}${this.body(body, inside, `${indent}  `)}${indent}}\n`;
      })
      .join('');
  }

  private requirement(value: JsonObject): string {
    const members = Object.entries(value).map(([name, each]) => {
      const place = barePlace(['terraform', 'required_providers'], name);
      return `${name} = ${place ? this.bare(each, place) : this.value(each)}`;
    });
    return `{ ${members.join(', ')} }`;
  }

  private bare(value: Json, place: BarePlace): string {
    if (place === 'name map' && isObject(value)) {
      return `{ ${Object.entries(value)
        .map(([name, to]) => `${name} = ${bareText(to)}`)
        .join(', ')} }`;
    }
    return Array.isArray(value) ? `[${value.map(bareText).join(', ')}]` : bareText(value);
  }

  private value(value: Json): string {
    if (typeof value === 'string') return this.string(value);
    if (Array.isArray(value)) return `[${value.map((item) => this.value(item)).join(', ')}]`;
    if (!isObject(value)) return JSON.stringify(value);
    const members = Object.entries(value).map(([name, item]) => `${this.key(name)} = ${this.value(item)}`);
    return `{ ${members.join(', ')} }`;
  }

  private key(name: string): string {
    const [part, ...others] = partsOf(name);
    if (part?.kind === 'interpolation' && others.length === 0) return `(${this.rewrite(part.text)})`;
    return this.quoted(name);
  }

  private string(text: string): string {
    const [part, ...others] = partsOf(text);
    if (part?.kind !== 'interpolation' || others.length > 0 || part.stripsBefore || part.stripsAfter)
      return this.quoted(text);
    const source = this.rewrite(part.text);
    // Outside of brackets an expression ends with its line.
    return source.includes('\n') ? `(${source}\n)` : source;
  }

  private quoted(text: string): string {
    return `"${partsOf(text)
      .map((part) =>
        part.kind === 'text'
          ? escaped(part.text)
          : part.source.replace(part.text, () => this.rewrite(part.text)),
      )
      .join('')}"`;
  }
}

function isBlocks(value: Json, path: readonly string[], name: string): boolean {
  if (isObject(value)) return isOwnBlock(path, name);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return false;
  return isOwnBlock(path, name) || hasSchemaBlocks(path);
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [value];
}

/** Takes the labels off: `{"local-exec": {…}}` is one block for each member. */
function labelled(
  value: Json,
  count: number,
  labels: readonly string[] = [],
): { labels: string[]; body: JsonObject }[] {
  if (Array.isArray(value)) return value.flatMap((item) => labelled(item, count, labels));
  if (!isObject(value)) return [];
  if (count === 0) return [{ labels: [...labels], body: value }];
  return Object.entries(value).flatMap(([label, inside]) => labelled(inside, count - 1, [...labels, label]));
}

function bareText(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^\$\{[^{}]*\}$/.test(value) ? value.slice(2, -1) : value;
}

function quotedLabel(label: string): string {
  return `"${escaped(label)}"`;
}

function partsOf(text: string): TemplatePart[] {
  if (!text.includes('{')) return text === '' ? [] : [plainPart(text)];
  try {
    return new HclParser(text, 'template').wholeTemplate();
  } catch (error) {
    if (!(error instanceof HclSyntaxError)) throw error;
    // Terraform says what is wrong with it.
    return [plainPart(text)];
  }
}

/** Every template of a value with its sequences rewritten. */
export function rewritten(value: Json, rewrite: Rewrite): Json {
  if (typeof value === 'string') {
    return partsOf(value)
      .map((part) =>
        part.kind === 'text' ? part.text : part.source.replace(part.text, () => rewrite(part.text)),
      )
      .join('');
  }
  if (Array.isArray(value)) return value.map((item) => rewritten(item, rewrite));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rewritten(item, rewrite)]));
}

function plainPart(text: string): TemplatePart {
  return { kind: 'text', text, source: text, stripsBefore: false, stripsAfter: false };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
};

function escaped(text: string): string {
  return text.replace(/["\\\u0000-\u001f\u007f]/g, (char) => {
    return ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
