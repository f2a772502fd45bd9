import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/google/{cloudfunctions_function,pubsub_*,kms_crypto_key,
// secret_manager_*,logging_*,monitoring_metric_descriptor}.go (Apache-2.0).

/** Memory decides the processor: https://cloud.google.com/functions/pricing-1stgen (2026-07), in MHz. */
const PROCESSOR_MHZ: readonly [memory: number, megahertz: number][] = [
  [128, 200],
  [256, 400],
  [512, 800],
  [1024, 1400],
  [2048, 2400],
  [4096, 4800],
  [8192, 4800],
];
const DURATION_STEP_MS = 100;

function cloudFunction(r: ResourceDraft): void {
  const memory = r.attributes.computed.number('available_memory_mb') ?? Decimal.of(256);
  const speed = PROCESSOR_MHZ.find(([megabytes]) => !memory.isMore(megabytes))?.[1];
  if (speed === undefined) r.log.note('available_memory_mb');
  const invocations = r.usage('monthly_function_invocations');
  const duration = r
    .usage('request_duration_ms')
    ?.dividedBy(DURATION_STEP_MS)
    .ceiling()
    .times(DURATION_STEP_MS)
    .dividedBy(1000);
  const seconds = duration && invocations?.times(duration);
  r.perUse('CPU', 'GHz-seconds', seconds?.times(speed ?? 0).dividedBy(1000));
  r.perUse('Memory', 'GB-seconds', seconds?.times(memory.dividedBy(1024)));
  r.perUse('Invocations', 'invocations', invocations);
  r.perUse('Outbound data transfer', 'GB', r.usage('monthly_outbound_data_gb'));
}

function cryptoKey(r: ResourceDraft): void {
  const template = r.attributes.computed.first('version_template');
  const level = (template?.text('protection_level') ?? 'SOFTWARE').toLowerCase();
  const algorithm = (template?.text('algorithm') ?? 'GOOGLE_SYMMETRIC_ENCRYPTION').toLowerCase();
  const plan =
    level === 'hsm' ? `hsm/${/rsa_.*_(3072|4096)|^ec_/.test(algorithm) ? 'advanced' : 'simple'}` : level;
  const versions = r.usage('key_versions');
  r.perUse('Key versions', 'months', versions, {
    key: `kms_crypto_key/key-versions/${plan}`,
    tierScale: { perUnit: 1, letters: 'KMB' },
  });
  r.perUse('Operations', '10k operations', r.usage('monthly_key_operations', 10_000), {
    key: `kms_crypto_key/operations/${plan}`,
  });
}

function secret(r: ResourceDraft): void {
  const replicas =
    r.attributes.computed.block('replication').computed.first('user_managed')?.blocks('replicas').length ?? 1;
  const versions = r.usage('active_secret_versions');
  r.perUse('Active secret versions', 'versions', versions?.times(Math.max(replicas, 1)), {
    key: 'secret_manager/active-secret-versions',
  });
  r.perUse('Access operations', '10K requests', r.usage('monthly_access_operations', 10_000), {
    key: 'secret_manager/access-operations',
  });
  r.perUse('Rotation notifications', 'rotations', r.usage('monthly_rotation_notifications'));
}

function secretVersion(r: ResourceDraft): void {
  const parent = r.linked('google_secret_manager_secret', r.attributes.text('secret'));
  const replicas =
    parent?.computed.block('replication').computed.first('user_managed')?.blocks('replicas').length ?? 1;
  r.monthly('Active secret versions', 'versions', Math.max(replicas, 1), {
    key: 'secret_manager/active-secret-versions',
  });
  r.perUse('Access operations', '10K requests', r.usage('monthly_access_operations', 10_000), {
    key: 'secret_manager/access-operations',
  });
}

const logging = onlyUse(['Logging data', 'GB', 'monthly_logging_data_gb', 1, { key: 'logging/data' }]);
const LOGGING_TYPES = ['billing_account', 'folder', 'organization', 'project'].flatMap((level) => [
  `google_logging_${level}_bucket_config`,
  `google_logging_${level}_sink`,
]);

export const googleApps: Rules = {
  google_cloudfunctions_function: cloudFunction,
  google_pubsub_topic: onlyUse(['Message ingestion data', 'TiB', 'monthly_message_data_tb']),
  google_pubsub_subscription: onlyUse(
    ['Message delivery data', 'TiB', 'monthly_message_data_tb'],
    ['Retained acknowledged message storage', 'GiB', 'storage_gb'],
    ['Snapshot message backlog storage', 'GiB', 'snapshot_storage_gb'],
  ),
  google_kms_crypto_key: cryptoKey,
  google_secret_manager_secret: secret,
  google_secret_manager_secret_version: secretVersion,
  google_monitoring_metric_descriptor: (r) =>
    describeUse(r, [
      [
        'Monitoring data',
        'MB',
        'monthly_monitoring_data_mb',
        1,
        { tierScale: { perUnit: 1, letters: 'KMB' } },
      ],
      ['API calls', '1k calls', 'monthly_api_calls', 1000],
    ]),
  ...Object.fromEntries(LOGGING_TYPES.map((type) => [type, logging])),
};
