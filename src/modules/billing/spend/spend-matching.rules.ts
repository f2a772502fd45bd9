import { type CloudProvider, lookupIdsOf } from '../../cloud-ids/index.js';

/** Ids of more bytes would not fit an index entry; no cloud has any. */
const MAX_ID_BYTES = 2_000;
const PROVIDERS: ReadonlySet<string> = new Set<CloudProvider>(['aws', 'azure', 'gcp']);
const S3 = /^(?:amazon ?s3|amazon simple storage service|s3)$/i;

export interface BilledId {
  provider: string;
  resource_id: string;
  service_name: string;
}

/** The normalized ids under which an instance may have the billed resource; none for other providers. */
export function billedLookupIds({ provider, resource_id: id, service_name: service }: BilledId): string[] {
  if (!isCloudProvider(provider) || id === '') return [];
  const ids = lookupIdsOf(provider, id, S3.test(service) ? 'AmazonS3' : service);
  return [...new Set(ids)].filter((text) => Buffer.byteLength(text) <= MAX_ID_BYTES);
}

function isCloudProvider(name: string): name is CloudProvider {
  return PROVIDERS.has(name);
}
