import { type Attributes, type Json, UNKNOWN, valueAt } from './attribute-path.rules.js';

/** Attributes by which other resources name an instance. */
export const OWN_IDS = ['id', 'arn', 'bucket', 'name', 'self_link', 'function_name'] as const;

/** Everything by which another resource may name the instance, normalized. */
export function ownIdsOf(attributes: Attributes): string[] {
  const ids = new Set<string>();
  for (const name of OWN_IDS) {
    const value = attributes[name];
    if (typeof value === 'string' && value !== '' && value !== UNKNOWN) ids.add(normalizedId(value));
  }
  return [...ids];
}

/** The ids that an attribute of the other resource names. */
export function namedIdsOf(attributes: Attributes, via: string): string[] {
  const value: Json | undefined = valueAt(attributes, via);
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return values
    .filter((item): item is string => typeof item === 'string' && item !== '' && item !== UNKNOWN)
    .map(normalizedId);
}

/** One spelling of an id: ARM ids in lower case, Google links without host and version. */
export function normalizedId(id: string): string {
  if (/^\/subscriptions\//i.test(id)) return id.toLowerCase();
  return id.replace(/^https:\/\/(?:www|compute|[a-z]+)\.googleapis\.com\/(?:compute\/)?(?:v1|beta)\//, '');
}
