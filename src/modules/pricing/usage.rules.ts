import { Decimal } from './decimal.js';
import { TEXT_USAGE_KEYS, USAGE_KEYS } from './usage-keys.js';
import { isRecord } from '../../platform/json/is-record.js';

export type UsageValue = Decimal | string | { [key: string]: UsageValue };
export type UsageValues = { [key: string]: UsageValue };

/** A usage document as people write it; null means absent. */
export interface UsageDocument {
  version?: string | number;
  resource_type_default_usage?: Record<string, UsageInput>;
  resource_usage?: Record<string, UsageInput>;
}

type UsageInput = { [key: string]: unknown };

/** A usage document that cannot be taken: names the field. */
export class InvalidUsage extends Error {
  override readonly name = 'InvalidUsage';
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(`${field} ${message}`);
  }
}

const MAX_DEPTH = 5;
const MAX_ENTRIES = 10_000;
const MAX_NUMBER = 1e15;
const BRACKETS = /\[(?:\d+|"(?:[^"\\]|\\.)*"|\*)\]/g;

/**
 * Checks a usage document. Throws InvalidUsage for other shapes, for text where a known key takes a number and for
 * negative numbers; unknown keys pass.
 */
export function checkUsage(body: unknown): UsageDocument {
  if (!isRecord(body)) throw new InvalidUsage('body', 'must be an object');
  const { version } = body;
  if (version !== undefined && version !== null && typeof version !== 'string' && typeof version !== 'number')
    throw new InvalidUsage('version', 'must be text or a number');
  for (const field of ['resource_type_default_usage', 'resource_usage'] as const) {
    const entries = body[field];
    if (entries === undefined || entries === null) continue;
    if (!isRecord(entries)) throw new InvalidUsage(field, 'must be an object');
    if (Object.keys(entries).length > MAX_ENTRIES)
      throw new InvalidUsage(field, `must have at most ${MAX_ENTRIES} entries`);
    for (const [name, values] of Object.entries(entries)) {
      if (values === null) continue;
      if (!isRecord(values)) throw new InvalidUsage(`${field}.${name}`, 'must be an object');
      const type = field === 'resource_usage' ? typeOfAddress(name) : name;
      checkValues(values, `${field}.${name}`, { keys: USAGE_KEYS.get(type), depth: 0 });
    }
  }
  return body;
}

function checkValues(
  values: UsageInput,
  path: string,
  within: { keys: ReadonlySet<string> | undefined; depth: number },
): void {
  if (within.depth > MAX_DEPTH) throw new InvalidUsage(path, 'must not be nested deeper than 5 levels');
  for (const [key, value] of Object.entries(values)) {
    const field = `${path}.${key}`;
    if (typeof value === 'number') {
      if (value < 0) throw new InvalidUsage(field, 'must not be negative');
      if (value > MAX_NUMBER) throw new InvalidUsage(field, `must be at most ${MAX_NUMBER}`);
    } else if (typeof value === 'string') {
      if (within.keys?.has(key) === true && !TEXT_USAGE_KEYS.has(key))
        throw new InvalidUsage(field, 'must be a number');
    } else if (isRecord(value)) checkValues(value, field, { ...within, depth: within.depth + 1 });
    else if (value !== null && typeof value !== 'boolean')
      throw new InvalidUsage(field, 'must be a number, text or an object');
  }
}

/** The type in an address: `module.a["k"].aws_instance.web[0]` gives `aws_instance`. */
export function typeOfAddress(address: string): string {
  const parts = address.replace(BRACKETS, '').split('.');
  return parts.at(-2) ?? '';
}

/** Finds the usage of an instance among the documents of its state and its tenant. */
export class UsageBook {
  private readonly layers: readonly Layer[];

  /** The most specific document first: the state's, then the tenant's. */
  constructor(documents: readonly (UsageDocument | undefined)[]) {
    this.layers = documents.filter((document) => document !== undefined).map(layerOf);
  }

  /** Address over wildcard over the state's type default over the tenant's, key by key; undefined when none says anything. */
  find(type: string, address: string): UsageValues | undefined {
    let merged: UsageValues | undefined;
    for (const layer of this.layers) {
      const found = [layer.byAddress.get(address), wildcardOf(layer, address), layer.byType.get(type)];
      for (const values of found) if (values) merged = merged ? merge(values, merged) : values;
    }
    return merged;
  }

  get isEmpty(): boolean {
    return this.layers.every(
      (layer) => layer.byAddress.size + layer.byType.size + layer.wildcards.length === 0,
    );
  }
}

interface Layer {
  byType: Map<string, UsageValues>;
  byAddress: Map<string, UsageValues>;
  wildcards: { pattern: RegExp; values: UsageValues }[];
}

function layerOf(document: UsageDocument): Layer {
  const layer: Layer = { byType: new Map(), byAddress: new Map(), wildcards: [] };
  for (const [type, values] of Object.entries(document.resource_type_default_usage ?? {}))
    if (isRecord(values)) layer.byType.set(type, valuesOf(values));
  for (const [address, values] of Object.entries(document.resource_usage ?? {})) {
    if (!isRecord(values)) continue;
    if (address.includes('[*]'))
      layer.wildcards.push({ pattern: patternOf(address), values: valuesOf(values) });
    else layer.byAddress.set(address, valuesOf(values));
  }
  return layer;
}

/** Of several that match, the one with the fewest wildcards comes first. */
function wildcardOf(layer: Layer, address: string): UsageValues | undefined {
  if (layer.wildcards.length === 0) return undefined;
  return layer.wildcards.find(({ pattern }) => pattern.test(address))?.values;
}

function patternOf(address: string): RegExp {
  const parts = address.split('[*]').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('\\[(?:\\d+|"(?:[^"\\\\]|\\\\.)*")\\]')}$`);
}

function valuesOf(input: UsageInput): UsageValues {
  const values: UsageValues = {};
  for (const [key, value] of Object.entries(input)) {
    if (typeof value === 'number') values[key] = Decimal.of(value);
    else if (typeof value === 'string' || typeof value === 'boolean') values[key] = String(value);
    else if (isRecord(value)) values[key] = valuesOf(value);
  }
  return values;
}

function merge(under: UsageValues, over: UsageValues): UsageValues {
  const merged: UsageValues = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isNested(value) && isNested(below) ? merge(below, value) : value;
  }
  return merged;
}

function isNested(value: UsageValue | undefined): value is UsageValues {
  return typeof value === 'object' && !(value instanceof Decimal);
}
