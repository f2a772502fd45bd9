import { Decimal } from '../decimal.js';
import { describeUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/google/{storage_bucket,container_registry,
// artifact_registry_repository,bigquery_*}.go (Apache-2.0).

const EGRESS: readonly [usage: string, name: string][] = [
  ['same_continent', 'Data transfer in same continent'],
  ['worldwide', 'Data transfer to worldwide excluding Asia, Australia'],
  ['asia', 'Data transfer to Asia excluding China, but including Hong Kong'],
  ['china', 'Data transfer to China excluding Hong Kong'],
  ['australia', 'Data transfer to Australia'],
];

function bucket(kind: 'storage_bucket' | 'container_registry'): (r: ResourceDraft) => void {
  return (r) => {
    const { attributes } = r;
    const place = (attributes.text('location') ?? 'US').toLowerCase();
    const where = ['us', 'eu', 'asia'].includes(place)
      ? 'multi-region'
      : /^(nam4|eur4|asia1|eur5|eur7|eur8)$/.test(place)
        ? 'dual-region'
        : 'region';
    const storageClass = (attributes.computed.text('storage_class') ?? 'STANDARD').toLowerCase();
    const key = (name: string) => ({ key: `storage_bucket/${where}/${storageClass}/${name}` });
    r.perUse(`Storage (${storageClass})`, 'GiB', r.usage('storage_gb'), key('storage'));
    r.perUse(
      'Object adds, bucket/object list (class A)',
      '10k operations',
      r.usage('monthly_class_a_operations', 10_000),
      key('class-a-operations'),
    );
    r.perUse(
      'Object gets, retrieve bucket/object metadata (class B)',
      '10k operations',
      r.usage('monthly_class_b_operations', 10_000),
      key('class-b-operations'),
    );
    if (
      kind === 'storage_bucket' &&
      storageClass !== 'standard' &&
      storageClass !== 'multi_regional' &&
      storageClass !== 'regional'
    )
      r.perUse('Data retrieval', 'GB', r.usage('monthly_data_retrieval_gb'), key('data-retrieval'));
    const usage = r.usageIn('monthly_egress_data_transfer_gb');
    r.group('Network egress', () => {
      for (const [name, label] of EGRESS) r.perUse(label, 'GB', usage(name));
    });
  };
}

const REGION_GROUPS: readonly [pattern: RegExp, group: string][] = [
  [/^(us|northamerica)/, 'North America'],
  [/^europe|^eu$/, 'Europe'],
  [/^asia/, 'AsiaPacific'],
  [/^australia/, 'Oceania'],
];

/** Where the data goes is named by the usage's regions. */
function repository(r: ResourceDraft): void {
  r.perUse('Storage', 'GB', r.usage('storage_gb'));
  const values = r.input.usage?.['monthly_egress_data_transfer_gb'];
  const from = groupOf(r.region);
  if (typeof values !== 'object' || values instanceof Decimal) return;
  const sums = new Map<string, Decimal>();
  for (const [region, gigabytes] of Object.entries(values)) {
    if (!(gigabytes instanceof Decimal) || region.replaceAll('_', '-') === r.region) continue;
    const to = groupOf(region.replaceAll('_', '-'));
    const name = egressName(from, to);
    sums.set(name, (sums.get(name) ?? Decimal.ZERO).plus(gigabytes));
  }
  for (const [name, gigabytes] of sums) r.perUse(name, 'GB', gigabytes);
}

function groupOf(region: string): string {
  return REGION_GROUPS.find(([pattern]) => pattern.test(region))?.[1] ?? 'other';
}

function egressName(from: string, to: string): string {
  if (from === 'Oceania' || to === 'Oceania') return 'Data egress from/to Oceania';
  return from === to ? `Data egress ${from} to ${to}` : 'Intercontinental (Excl Oceania)';
}

export const googleStorage: Rules = {
  google_storage_bucket: bucket('storage_bucket'),
  google_container_registry: ['storage_bucket', bucket('container_registry')],
  google_artifact_registry_repository: repository,
  google_bigquery_dataset: (r) => r.perUse('Queries (on-demand)', 'TB', r.usage('monthly_queries_tb')),
  google_bigquery_table: (r) =>
    describeUse(r, [
      ['Active storage', 'GB', 'monthly_active_storage_gb'],
      ['Long-term storage', 'GB', 'monthly_long_term_storage_gb'],
      ['Streaming inserts', 'MB', 'monthly_streaming_inserts_mb'],
      ['Storage write API', 'GB', 'monthly_storage_write_api_gb'],
      ['Storage read API', 'TB', 'monthly_storage_read_api_tb'],
    ]),
};
