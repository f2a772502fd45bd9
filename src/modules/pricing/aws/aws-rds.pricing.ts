import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/aws/{db_instance,rds_cluster,rds_cluster_instance}.go
// (Apache-2.0). Default storage of 20 GB: the same source; included gp3 IOPS: https://aws.amazon.com/rds/pricing/ (2026-07).

const STORAGE: Record<string, string> = {
  gp2: 'general purpose SSD, gp2',
  gp3: 'general purpose SSD, gp3',
  io1: 'provisioned IOPS SSD, io1',
  io2: 'provisioned IOPS SSD, io2',
  standard: 'magnetic',
};
/** Editions whose price includes the licence unless the customer brings it. */
const LICENSED = /^(?:oracle-se1|oracle-se2(?:-cdb)?|sqlserver-)/;
const DEFAULT_STORAGE_GB = 20;
const GP3_LARGE_GB = 400;

function dbInstance(r: ResourceDraft): void {
  const { attributes } = r;
  const source = r.linked('aws_db_instance', attributes.text('replicate_source_db'));
  const engine = engineOf(
    attributes.computed.text('engine') ?? source?.text('engine') ?? attributes.required('engine'),
  );
  const zones = attributes.isTrue('multi_az') ? 'Multi-AZ' : 'Single-AZ';
  const where = zones === 'Multi-AZ' ? 'multi_az' : 'single_az';
  r.part(() => {
    const instanceClass = attributes.required('instance_class');
    const purchase = reserved(r);
    r.hours(`Database instance (${purchase ? 'reserved' : 'on-demand'}, ${zones}, ${instanceClass})`, {
      key: `rds/instance/${engine}${licence(engine, attributes.computed.text('license_model'))}/${where}/${purchase ?? 'on_demand'}/${instanceClass}`,
    });
    if (/^db\.t[34]g?\./.test(instanceClass)) credits(r, engine, instanceClass);
  });
  r.part(() => storage(r, where));
  r.part(() => backups(r, engine));
  r.part(() => insights(r, engine, attributes.required('instance_class')));
  r.part(() => extendedSupport(r, engine, attributes.required('instance_class')));
}

function engineOf(engine: string): string {
  const name = engine.toLowerCase();
  return name === 'aurora' ? 'aurora-mysql' : name;
}

function licence(engine: string, model: string | undefined): string {
  if (model === 'bring-your-own-license') return '-byol';
  return LICENSED.test(engine) ? '-license-included' : '';
}

function reserved(r: ResourceDraft): string | undefined {
  const term = r.usageText('reserved_instance_term');
  if (term === undefined || term === '') return undefined;
  return `reserved-${term}-${r.usageText('reserved_instance_payment_option') ?? 'no_upfront'}`;
}

function credits(r: ResourceDraft, engine: string, instanceClass: string): void {
  const hours = r.usage('monthly_cpu_credit_hrs');
  const vcpus = r.usage('vcpu_count') ?? Decimal.of(2);
  if (hours === undefined || hours.isZero()) return;
  const family = instanceClass.split('.')[1] ?? '';
  r.perUse('CPU credits', 'vCPU-hours', hours.times(vcpus), {
    key: `rds/cpu-credits/${engineGroup(engine)}/${family}`,
  });
}

function engineGroup(engine: string): string {
  return engine.startsWith('aurora') ? 'aurora' : 'rds';
}

function storage(r: ResourceDraft, where: string): void {
  const { computed } = r.attributes;
  const iops = computed.number('iops') ?? Decimal.ZERO;
  const type = computed.text('storage_type') ?? (iops.isZero() ? 'gp2' : 'io1');
  const given = r.attributes.computed.number('allocated_storage') ?? Decimal.of(DEFAULT_STORAGE_GB);
  const size = type === 'io1' ? given.atLeast(100) : given;
  r.monthly(`Storage (${STORAGE[type] ?? type})`, 'GB', size, { key: `rds/storage/${type}/${where}` });
  if (type === 'standard')
    r.perUse('I/O requests', '1M requests', r.usage('monthly_standard_io_requests', 1_000_000), {
      key: 'rds/storage-requests',
    });
  if (type === 'io1' || type === 'io2')
    r.monthly('Provisioned IOPS', 'IOPS', type === 'io1' ? iops.atLeast(1000) : iops, {
      key: `rds/iops/${type}/${where}`,
    });
  if (type !== 'gp3') return;
  const included = size.isLess(GP3_LARGE_GB) ? 3000 : 12_000;
  if (iops.isMore(included))
    r.monthly(
      `Provisioned GP3 IOPS (above ${included === 3000 ? '3,000' : '12,000'})`,
      'IOPS',
      iops.minus(Decimal.of(included)),
      {
        key: `rds/iops/gp3/${where}`,
      },
    );
}

function backups(r: ResourceDraft, engine: string): void {
  const extra = r.usage('additional_backup_storage_gb');
  const days = r.attributes.computed.number('backup_retention_period') ?? Decimal.ZERO;
  if (!days.isZero() || extra !== undefined)
    r.perUse('Additional backup storage', 'GB', extra, { key: `rds/backup-storage/${engineGroup(engine)}` });
}

const FREE_INSIGHTS_DAYS = 7;

function insights(r: ResourceDraft, engine: string, instanceClass: string): void {
  const { computed } = r.attributes;
  if (!computed.isTrue('performance_insights_enabled')) return;
  const days = computed.number('performance_insights_retention_period') ?? Decimal.of(FREE_INSIGHTS_DAYS);
  if (days.isMore(FREE_INSIGHTS_DAYS) && instanceClass === 'db.serverless')
    r.perUse(
      'Performance Insights Long Term Retention (serverless)',
      'ACUs',
      r.usage('capacity_units_per_hr'),
    );
  else if (days.isMore(FREE_INSIGHTS_DAYS)) {
    const vcpus = r.usage('vcpu_count') ?? vcpusOf(instanceClass);
    if (vcpus === undefined) r.attributes.required('vcpu_count');
    r.monthly(
      `Performance Insights Long Term Retention (${instanceClass})`,
      'vCPU-month',
      vcpus ?? Decimal.ZERO,
      {
        key: `rds/performance-insights-retention/${engineGroup(engine)}/${instanceClass}`,
      },
    );
  }
  r.perUse(
    'Performance Insights API',
    '1000 requests',
    r.usage('monthly_additional_performance_insights_requests', 1000),
    {
      key: 'rds/performance-insights-requests',
    },
  );
}

/** vCPUs by size: https://aws.amazon.com/rds/instance-types/ (2026-07); the burstable and the `large` sizes have two. */
function vcpusOf(instanceClass: string): Decimal | undefined {
  const size = instanceClass.split('.')[2] ?? '';
  if (['micro', 'small', 'medium', 'large'].includes(size)) return Decimal.of(2);
  const times = /^(\d*)xlarge$/.exec(size);
  return times ? Decimal.of(times[1] === '' ? 4 : Number(times[1]) * 4) : undefined;
}

/**
 * Engine versions past standard support are billed more for every core, in steps by year:
 * https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support.html (2026-07).
 */
const EXTENDED: Record<string, readonly (readonly [version: RegExp, year: 1 | 3])[]> = {
  mysql: [[/^5\.[67]/, 3]],
  postgres: [
    [/^(9|10|11)(\.|$)/, 3],
    [/^12(\.|$)/, 1],
  ],
  'aurora-mysql': [[/^5\.[67]/, 1]],
  'aurora-postgresql': [
    [/^(9|10|11)(\.|$)/, 3],
    [/^12(\.|$)/, 1],
  ],
};

function extendedSupport(r: ResourceDraft, engine: string, instanceClass: string): void {
  const version = r.attributes.computed.text('engine_version') ?? '';
  const year = EXTENDED[engine]?.find(([pattern]) => pattern.test(version))?.[1];
  if (year === undefined || instanceClass === 'db.serverless') return;
  if (r.attributes.computed.text('engine_lifecycle_support') === 'open-source-rds-extended-support-disabled')
    return;
  const vcpus = vcpusOf(instanceClass);
  if (vcpus === undefined) r.log.note('instance_class');
  r.hours(`Extended support (year ${year})`, {
    unit: 'vCPU-hours',
    count: vcpus ?? Decimal.ZERO,
    key: `rds/extended-support/year-${year}`,
  });
}

function clusterInstance(r: ResourceDraft): void {
  const { attributes } = r;
  const cluster = r.linked('aws_rds_cluster', attributes.text('cluster_identifier'));
  const engine = engineOf(attributes.text('engine') ?? cluster?.text('engine') ?? 'aurora-mysql');
  const optimized = cluster?.computed.text('storage_type') === 'aurora-iopt1';
  const instanceClass = attributes.required('instance_class');
  if (instanceClass === 'db.serverless') {
    const units = r.usage('capacity_units_per_hr');
    r.perUse(
      optimized ? 'Aurora serverless v2 (I/O-optimized)' : 'Aurora serverless v2',
      'ACU-hours',
      units?.times(730),
      {
        key: `rds/aurora-serverless-v2/${optimized ? 'io-optimized' : 'standard'}`,
      },
    );
  } else {
    const purchase = reserved(r);
    r.hours(
      `Database instance (${purchase ? 'reserved' : 'on-demand'}${optimized ? ', I/O-optimized' : ''}, ${instanceClass})`,
      {
        key: `rds/instance/${engine}${optimized ? '-io-optimized' : ''}/single_az/${purchase ?? 'on_demand'}/${instanceClass}`,
      },
    );
    if (/^db\.t[34]g?\./.test(instanceClass)) credits(r, engine, instanceClass);
  }
  r.part(() => insights(r, engine, instanceClass));
  r.part(() => extendedSupport(r, engine, instanceClass));
}

function cluster(r: ResourceDraft): void {
  const { attributes } = r;
  const optimized = attributes.computed.text('storage_type') === 'aurora-iopt1';
  const engine = engineOf(attributes.text('engine') ?? 'aurora-mysql');
  if (attributes.text('engine_mode') === 'serverless')
    r.perUse('Aurora serverless', 'ACU-hours', r.usage('capacity_units_per_hr')?.times(730));
  r.perUse(optimized ? 'Storage (I/O-optimized)' : 'Storage', 'GB', r.usage('storage_gb'));
  if (!optimized) clusterRequests(r);
  const retention = attributes.computed.number('backup_retention_period') ?? Decimal.ONE;
  const snapshots = r.usage('backup_snapshot_size_gb');
  if (retention.isMore(1) || snapshots)
    r.perUse('Backup storage', 'GB', snapshots?.times(retention.minus(Decimal.ONE)));
  if (engine === 'aurora-mysql') backtrack(r);
  r.perUse('Snapshot export', 'GB', r.usage('snapshot_export_size_gb'));
}

function clusterRequests(r: ResourceDraft): void {
  const reads = r.usage('read_requests_per_sec');
  const writes = r.usage('write_requests_per_sec');
  const perSecond = reads || writes ? (reads ?? Decimal.ZERO).plus(writes ?? Decimal.ZERO) : undefined;
  r.perUse('I/O requests', '1M requests', perSecond?.times(730 * 3600).dividedBy(1_000_000));
}

function backtrack(r: ResourceDraft): void {
  const changes = r.usage('average_statements_per_hr');
  const perStatement = r.usage('change_records_per_statement');
  const records =
    changes &&
    perStatement &&
    changes.times(perStatement).times(r.usage('backtrack_window_hrs') ?? Decimal.of(730));
  r.perUse('Backtrack', '1M change-records', records?.dividedBy(1_000_000));
}

export const awsRds: Rules = {
  aws_db_instance: dbInstance,
  aws_rds_cluster: cluster,
  aws_rds_cluster_instance: clusterInstance,
};
