import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/google/{sql_database_instance,redis_*}.go (Apache-2.0).

const DEFAULT_DISK_GB = 10;
/** Cores and gigabytes of the tiers that have names: https://cloud.google.com/sql/docs/mysql/instance-settings (2026-07). */
const N1_GB_PER_CORE: Record<string, string> = { standard: '3.75', highmem: '6.5' };

interface SqlPlan {
  engine: 'mysql' | 'postgres' | 'sqlserver';
  zones: 'zonal' | 'regional';
  tier: string;
  settings: AttributeReader;
}

function sqlInstance(r: ResourceDraft): void {
  const { attributes } = r;
  const settings = attributes.block('settings');
  const version = (attributes.computed.text('database_version') ?? 'MYSQL_5_6').toLowerCase();
  const engine = version.startsWith('postgres')
    ? 'postgres'
    : version.startsWith('sqlserver')
      ? 'sqlserver'
      : 'mysql';
  const plan: SqlPlan = {
    engine,
    zones: settings.computed.text('availability_type') === 'REGIONAL' ? 'regional' : 'zonal',
    tier: settings.required('tier'),
    settings,
  };
  r.part(() => compute(r, plan));
  r.part(() => storage(r, plan));
  r.part(() => r.perUse('Backups', 'GB', r.usage('backup_storage_gb'), { key: `sql/backups/${engine}` }));
  r.part(() => {
    if (settings.computed.first('ip_configuration')?.flag('ipv4_enabled') !== false)
      r.hours('IP address (if unused)', { key: 'sql/ip-address' });
  });
  if (attributes.blocks('replica_configuration').length > 0) {
    const replica: SqlPlan = { ...plan, zones: 'zonal' };
    r.part(() => {
      compute(r, replica);
      storage(r, replica);
    }, 'Replica / ');
  }
}

function compute(r: ResourceDraft, { engine, zones, tier, settings }: SqlPlan): void {
  const edition =
    (settings.computed.text('edition') ?? 'ENTERPRISE').toLowerCase() === 'enterprise_plus' ? '-plus' : '';
  const custom = /^db-custom-(\d+)-(\d+)$/.exec(tier);
  const named = /^db-(?:n1-)?(standard|highmem|lightweight)-(\d+)$/.exec(tier);
  const key = (part: string) => `sql/${part}${edition}/${engine}/${zones}`;
  if (custom || (named && (engine !== 'mysql' || !tier.startsWith('db-n1')))) {
    const cores = Decimal.of(custom?.[1] ?? named?.[2] ?? '0');
    const memory = custom ? Decimal.of(custom[2] ?? '0').dividedBy(1024) : memoryOf(named?.[1] ?? '', cores);
    r.hours(`vCPUs (${cores.toString()}, ${zones})`, { key: key('vcpu'), count: cores });
    r.monthly(`Memory (${memory.toString()} GB, ${zones})`, 'GB', memory, { key: key('memory') });
    return;
  }
  r.hours(`SQL instance (${tier}, ${zones})`, { key: `sql/instance/${engine}/${zones}/${tier}` });
}

/** GB of a machine that its family and its number of cores name. */
function memoryOf(family: string, cores: Decimal): Decimal {
  if (family === 'lightweight') return Decimal.of('3.75');
  return cores.times(Decimal.of(N1_GB_PER_CORE[family] ?? '3.75'));
}

function storage(r: ResourceDraft, { engine, zones, settings }: SqlPlan): void {
  const type = (settings.computed.text('disk_type') ?? 'PD_SSD') === 'PD_HDD' ? 'HDD' : 'SSD';
  const size = settings.computed.number('disk_size') ?? Decimal.of(DEFAULT_DISK_GB);
  r.monthly(`Storage (${type}, ${zones})`, 'GB', size, {
    key: `sql/storage/${engine}/${zones}/${type.toLowerCase()}`,
  });
}

const CAPACITY_TIERS: readonly [upTo: number, tier: string][] = [
  [4, 'M1'],
  [10, 'M2'],
  [35, 'M3'],
  [100, 'M4'],
];

function redis(r: ResourceDraft): void {
  const tier = (r.attributes.text('tier') ?? 'BASIC').toUpperCase() === 'BASIC' ? 'basic' : 'standard';
  const memory = r.attributes.number('memory_size_gb');
  if (memory === undefined) r.attributes.required('memory_size_gb');
  const size = memory ?? Decimal.ZERO;
  const capacity = CAPACITY_TIERS.find(([upTo]) => !size.isMore(upTo))?.[1] ?? 'M5';
  r.monthly(`Redis instance (${tier}, ${capacity})`, 'GB', size);
}

const NODE_GB: Record<string, readonly [name: string, gigabytes: string]> = {
  REDIS_SHARED_CORE_NANO: ['shared core nano', '1.4'],
  REDIS_STANDARD_SMALL: ['standard small', '6.5'],
  REDIS_HIGHMEM_MEDIUM: ['highmem medium', '13'],
  REDIS_HIGHMEM_XLARGE: ['highmem xlarge', '58'],
};

function redisCluster(r: ResourceDraft): void {
  const { attributes } = r;
  const type = attributes.computed.text('node_type') ?? 'REDIS_HIGHMEM_MEDIUM';
  const [name, gigabytes] = NODE_GB[type] ?? [type.toLowerCase().replaceAll('_', ' '), undefined];
  const shards = attributes.number('shard_count') ?? Decimal.ONE;
  const nodes = shards.times((attributes.computed.number('replica_count') ?? Decimal.ZERO).plus(Decimal.ONE));
  r.hours(`Cluster node (${name})`, { count: nodes });
  if (attributes.computed.first('persistence_config')?.text('mode') === 'AOF' && gigabytes !== undefined)
    r.hours('AOF persistence', { unit: 'GB', count: nodes.times(Decimal.of(gigabytes)) });
  if (attributes.computed.blocks('automated_backup_config').length > 0)
    r.perUse('Backups', 'GB', r.usage('backup_storage_gb'));
}

export const googleDatabases: Rules = {
  google_sql_database_instance: sqlInstance,
  google_redis_instance: redis,
  google_redis_cluster: redisCluster,
};
