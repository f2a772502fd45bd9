import type { CloudProvider } from '../../cloud-ids/index.js';
import { canImportAws, mapAwsImport } from './aws-import.rules.js';
import { mapAzureImport } from './azure-import.rules.js';
import { mapGoogleImport } from './google-import.rules.js';
import type { ImportMapping, ImportSource } from './import-target.js';

/** What a resource is in Terraform, or why that cannot be said. Pure; asks no cloud. */
export function mapImport(provider: CloudProvider, source: ImportSource): ImportMapping {
  switch (provider) {
    case 'aws':
      return mapAwsImport(source);
    case 'azure':
      return mapAzureImport(source);
    case 'gcp':
      return mapGoogleImport(source);
  }
}

/** Whether `mapImport` has a target. */
export function canImport(provider: CloudProvider, source: ImportSource): boolean {
  return provider === 'aws' ? canImportAws(source) : 'target' in mapImport(provider, source);
}
