/** Any JSON value; attributes of an instance are an object of these. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type Attributes = { readonly [key: string]: Json };

/** Stands for a value that is masked as sensitive, or that a plan does not know yet. */
export const UNKNOWN = '(sensitive value)';

const paths = new Map<string, readonly string[]>();
const MAX_CACHED_PATHS = 10_000;

function segmentsOf(path: string): readonly string[] {
  const known = paths.get(path);
  if (known !== undefined) return known;
  const segments = path === '' ? [] : path.split('.');
  if (paths.size >= MAX_CACHED_PATHS) paths.clear();
  paths.set(path, segments);
  return segments;
}

/**
 * The value at a path; undefined when absent or null, UNKNOWN when it lies in an unknown value. A list that meets a
 * name stands for its first element, and index 0 of an object for the object: single blocks are stored either way.
 */
export function valueAt(root: Json | undefined, path: string): Json | undefined {
  let value = root ?? undefined;
  for (const segment of segmentsOf(path)) {
    if (value === undefined) return undefined;
    if (value === UNKNOWN) return UNKNOWN;
    value = step(value, segment) ?? undefined;
  }
  return value;
}

function step(value: Json, segment: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isList(value)) {
    const index = indexOf(segment);
    if (index !== undefined) return value[index];
    const first = value[0];
    return first === undefined || isList(first)
      ? undefined
      : first === UNKNOWN
        ? UNKNOWN
        : step(first, segment);
  }
  if (Object.hasOwn(value, segment)) return value[segment];
  return segment === '0' ? value : undefined;
}

function indexOf(segment: string): number | undefined {
  return /^\d{1,9}$/.test(segment) ? Number(segment) : undefined;
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isRecord(value: Json | undefined): value is Attributes {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** The elements of a list; a single value is a list of one, an absent one an empty list. */
export function elementsOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return isList(value) ? value : [value];
}

/** A scalar as text, else undefined. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A number, or a text that is one; else undefined. */
export function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
