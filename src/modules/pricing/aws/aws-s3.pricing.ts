import type { AttributeReader } from '../attribute-reader.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/s3_*.go (Apache-2.0). The standard class always
// shows; other classes where a lifecycle rule moves objects to them or where the usage names them.

/** A component of a class: name, unit, usage key, pieces in a unit. */
type Part = readonly [name: string, unit: string, usage: string, perUnit?: number];

const PUT: Part = ['PUT, COPY, POST, LIST requests', '1k requests', 'monthly_tier_1_requests', 1000];
const GET: Part = ['GET, SELECT, and all other requests', '1k requests', 'monthly_tier_2_requests', 1000];
const LIFECYCLE: Part = [
  'Lifecycle transition',
  '1k requests',
  'monthly_lifecycle_transition_requests',
  1000,
];
const SCANNED: Part = ['Select data scanned', 'GB', 'monthly_select_data_scanned_gb'];
const RETURNED: Part = ['Select data returned', 'GB', 'monthly_select_data_returned_gb'];
const STORAGE: Part = ['Storage', 'GB', 'storage_gb'];
const RETRIEVALS: Part = ['Retrievals', 'GB', 'monthly_data_retrieval_gb'];

interface StorageClass {
  name: string;
  usage: string;
  /** as lifecycle rules name it */
  transition: string;
  parts: readonly Part[];
}

const INFREQUENT: readonly Part[] = [STORAGE, PUT, GET, LIFECYCLE, RETRIEVALS, SCANNED, RETURNED];

const CLASSES: readonly StorageClass[] = [
  {
    name: 'Standard',
    usage: 'standard',
    transition: 'STANDARD',
    parts: [STORAGE, PUT, GET, SCANNED, RETURNED],
  },
  {
    name: 'Intelligent tiering',
    usage: 'intelligent_tiering',
    transition: 'INTELLIGENT_TIERING',
    parts: [
      ['Storage (frequent access)', 'GB', 'frequent_access_storage_gb'],
      ['Storage (infrequent access)', 'GB', 'infrequent_access_storage_gb'],
      ['Storage (archive access)', 'GB', 'archive_access_storage_gb'],
      ['Storage (deep archive access)', 'GB', 'deep_archive_access_storage_gb'],
      ['Monitoring and automation', '1k objects', 'monitored_objects', 1000],
      PUT,
      GET,
      LIFECYCLE,
      SCANNED,
      RETURNED,
      ['Early delete (within 30 days)', 'GB', 'early_delete_gb'],
    ],
  },
  {
    name: 'Standard - infrequent access',
    usage: 'standard_infrequent_access',
    transition: 'STANDARD_IA',
    parts: INFREQUENT,
  },
  {
    name: 'One zone - infrequent access',
    usage: 'one_zone_infrequent_access',
    transition: 'ONEZONE_IA',
    parts: INFREQUENT,
  },
  {
    name: 'Glacier flexible retrieval',
    usage: 'glacier_flexible_retrieval',
    transition: 'GLACIER',
    parts: [
      STORAGE,
      PUT,
      GET,
      LIFECYCLE,
      ['Retrieval requests (standard)', '1k requests', 'monthly_standard_data_retrieval_requests', 1000],
      ['Retrievals (standard)', 'GB', 'monthly_standard_data_retrieval_gb'],
      ['Select data scanned (standard)', 'GB', 'monthly_standard_select_data_scanned_gb'],
      ['Select data returned (standard)', 'GB', 'monthly_standard_select_data_returned_gb'],
      ['Retrieval requests (expedited)', '1k requests', 'monthly_expedited_data_retrieval_requests', 1000],
      ['Retrievals (expedited)', 'GB', 'monthly_expedited_data_retrieval_gb'],
      ['Select data scanned (expedited)', 'GB', 'monthly_expedited_select_data_scanned_gb'],
      ['Select data returned (expedited)', 'GB', 'monthly_expedited_select_data_returned_gb'],
      ['Select data scanned (bulk)', 'GB', 'monthly_bulk_select_data_scanned_gb'],
      ['Select data returned (bulk)', 'GB', 'monthly_bulk_select_data_returned_gb'],
      ['Early delete (within 90 days)', 'GB', 'early_delete_gb'],
    ],
  },
  {
    name: 'Glacier deep archive',
    usage: 'glacier_deep_archive',
    transition: 'DEEP_ARCHIVE',
    parts: [
      STORAGE,
      PUT,
      GET,
      LIFECYCLE,
      ['Retrieval requests (standard)', '1k requests', 'monthly_standard_data_retrieval_requests', 1000],
      ['Retrievals (standard)', 'GB', 'monthly_standard_data_retrieval_gb'],
      ['Retrieval requests (bulk)', '1k requests', 'monthly_bulk_data_retrieval_requests', 1000],
      ['Retrievals (bulk)', 'GB', 'monthly_bulk_data_retrieval_gb'],
      ['Early delete (within 180 days)', 'GB', 'early_delete_gb'],
    ],
  },
];

function bucket(r: ResourceDraft): void {
  const used = usedClasses(r);
  for (const storageClass of CLASSES) {
    const given = r.input.usage?.[storageClass.usage] !== undefined;
    if (storageClass.usage !== 'standard' && !given && !used.has(storageClass.transition)) continue;
    const usage = r.usageIn(storageClass.usage);
    r.group(storageClass.name, () => {
      for (const [name, unit, key, perUnit] of storageClass.parts) r.perUse(name, unit, usage(key, perUnit));
    });
  }
  const tags = r.usage('object_tags', 10_000);
  if (tags) r.perUse('Object tagging', '10k tags', tags);
}

function usedClasses(r: ResourceDraft): Set<string> {
  const { computed } = r.attributes;
  const own = computed.blocks('lifecycle_rule').flatMap((rule) => transitions(rule));
  const id = computed.text('bucket') ?? computed.text('id');
  const separate = r.linked('aws_s3_bucket_lifecycle_configuration', id)?.blocks('rule') ?? [];
  return new Set([...own, ...separate.flatMap((rule) => transitions(rule))]);
}

function transitions(rule: AttributeReader): string[] {
  return [...rule.blocks('transition'), ...rule.blocks('noncurrent_version_transition')].map(
    (transition) => transition.text('storage_class') ?? '',
  );
}

/** Storage of the class that lifecycle rules move to is the bucket's: the configuration costs nothing of its own. */
export const awsS3: Rules = { aws_s3_bucket: bucket };
