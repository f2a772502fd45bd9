import { z } from 'zod';
import { parseAllowedSources } from './allowed-sources.js';
import { byteSize, count, flag, parsedWith, port } from './setting-types.js';

const DEFAULT_REGIONS = { aws: 'us-east-1', azure: 'eastus', gcp: 'us-central1' };
type Regions = Record<keyof typeof DEFAULT_REGIONS, string>;

/** `aws=eu-west-1,gcp=europe-west1`; providers that are not named keep their default. */
function parseRegions(text: string): Regions {
  const regions: Regions = { ...DEFAULT_REGIONS };
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const match = /^\s*(aws|azure|gcp)\s*=\s*([a-z0-9-]{1,60})\s*$/.exec(entry);
    if (!match) throw new Error(`"${entry.trim()}" must look like aws=us-east-1`);
    regions[match[1] as keyof Regions] = match[2] ?? '';
  }
  return regions;
}

/** Cost estimation, and the billing files that its figures are compared with. */
export const costSettings = {
  SERVICE_COST_ENABLED: flag.default(false).describe('turns on cost estimation'),
  SERVICE_COST_PORT: port(8090).describe(
    'port on which cost estimation answers /readyz; 0, the default with `npm start`, picks a free port',
  ),
  SERVICE_COST_PRICE_BOOK: z
    .string()
    .default('')
    .describe('price books that override the shipped one: files or folders, comma-separated; later ones win'),
  SERVICE_COST_DEFAULT_REGIONS: z
    .string()
    .default('aws=us-east-1,azure=eastus,gcp=us-central1')
    .transform(parsedWith(parseRegions))
    .describe('region of resources without a region, for each provider'),
  SERVICE_COST_REGION_FALLBACK: flag
    .default(false)
    .describe('uses prices of the default region for regions without a price, and marks them'),
  SERVICE_COST_SNAPSHOTS_KEEP_DAYS: count(0).describe(
    'age in days after which only the last cost snapshot of each state and day is kept; 0 keeps all',
  ),
  SERVICE_BILLING_FILE_ROOT: z
    .string()
    .regex(/^\//, 'it must be an absolute path')
    .optional()
    .describe('folder that contains file:// billing sources; without it file:// is not allowed'),
  SERVICE_BILLING_ALLOWED_SOURCES: z
    .string()
    .default('')
    .transform(parsedWith(parseAllowedSources))
    .describe(
      'addresses that tenant administrators may add as billing sources: prefixes such as s3://bucket/path, ' +
        'comma-separated; add =TENANT_ID to a prefix to allow it for one tenant only',
    ),
  SERVICE_BILLING_SYNC_HOURS: count(24).describe(
    'hours between syncs of enabled billing sources; 0 turns off scheduled syncs',
  ),
  SERVICE_BILLING_S3_ENDPOINT: z.url().optional().describe('S3-compatible store for s3:// sources'),
  SERVICE_BILLING_GCS_ENDPOINT: z.url().optional().describe('store for gs:// sources'),
  SERVICE_BILLING_AZURE_ENDPOINT: z.url().optional().describe('store for abfss:// sources'),
  SERVICE_BILLING_STORE_SECONDS: count(60, 1).describe(
    'seconds after which a sync fails if the billing store sends nothing',
  ),
  SERVICE_BILLING_MAX_SYNC_SIZE: byteSize('32g').describe(
    'maximum unpacked size of the billing files of one sync',
  ),
  SERVICE_BILLING_READER_MEMORY: byteSize('512m').describe(
    'maximum memory of the process that reads billing files',
  ),
  SERVICE_BILLING_READER_SECONDS: count(1800, 1).describe(
    'timeout for reading the files of one sync in seconds',
  ),
};
