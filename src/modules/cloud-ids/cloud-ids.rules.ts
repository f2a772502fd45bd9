import { awsIdsOf, awsLookupIds } from './aws-ids.rules.js';
import { azureIdsOf, azureLookupIds } from './azure-ids.rules.js';
import type { CloudProvider, IdAttributes } from './cloud-id.js';
import { googleIdsOf, googleLookupIds } from './google-ids.rules.js';
import { partNamesOf } from './part-ids.rules.js';

/** The cloud of a resource type; undefined for types of no cloud. */
export function cloudOf(type: string): CloudProvider | undefined {
  if (type.startsWith('aws_')) return 'aws';
  if (type.startsWith('azurerm_') || type.startsWith('azapi_')) return 'azure';
  return type.startsWith('google_') ? 'gcp' : undefined;
}

/** The normalized ids of a managed instance; none when its type is of no cloud or it only sets up another resource. */
export function cloudIdsOf(type: string, attributes: IdAttributes): string[] {
  switch (cloudOf(type)) {
    case 'aws':
      return awsIdsOf(type, attributes);
    case 'azure':
      return azureIdsOf(type, attributes);
    case 'gcp':
      return googleIdsOf(type, attributes);
    case undefined:
      return [];
  }
}

/** The normalized ids of disks that a machine holds in its own attributes, without those of `cloudIdsOf`. */
export function partIdsOf(type: string, attributes: IdAttributes): string[] {
  const provider = cloudOf(type);
  if (provider === undefined) return [];
  const own = new Set(cloudIdsOf(type, attributes));
  const parts = partNamesOf(type, attributes).flatMap((name) => lookupIdsOf(provider, name));
  return [...new Set(parts)].filter((id) => !own.has(id));
}

/** The normalized ids under which a bill's or an inventory's id may be stored; `service` helps where ids are names. */
export function lookupIdsOf(provider: CloudProvider, id: string, service?: string): string[] {
  switch (provider) {
    case 'aws':
      return awsLookupIds(id, service);
    case 'azure':
      return azureLookupIds(id);
    case 'gcp':
      return googleLookupIds(id);
  }
}
