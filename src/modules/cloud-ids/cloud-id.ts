import { isStorable } from '../../platform/database/storable-text.js';

export type CloudProvider = 'aws' | 'azure' | 'gcp';

/** Raised when the rules change: every state's ids are then made again, and attributions computed from them too. */
export const MATCHER_VERSION = 2;

/** Longer ids would not fit an index entry; no cloud has any. */
const MAX_ID_BYTES = 1_024;

/** Attributes that the rules read; nothing else of an instance is loaded. */
export const ID_ATTRIBUTES = [
  ...['id', 'arn', 'url', 'self_link', 'name', 'project', 'zone', 'instance_id', 'bucket', 'allocation_id'],
  ...['resource_manager_id', 'security_group_rule_id', 'spot_instance_id', 'qualified_arn'],
] as const;

export type IdAttributes = Readonly<Record<string, unknown>>;

/** A non-empty text of a size that an id may have, else undefined. */
export function idText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_ID_BYTES) return undefined;
  return Buffer.byteLength(value) <= MAX_ID_BYTES && isStorable(value) ? value : undefined;
}
