import { Decimal } from '../decimal.js';
import { describeUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/providers/terraform/azure/{postgresql,mysql,mariadb}_*.go,
// redis_cache.go, internal/resources/azure/{mysql,postgresql}_flexible_server.go, managed_redis.go (Apache-2.0).

/** `GP_Gen5_4`: tier, generation, cores. */
function singleServer(family: string): (r: ResourceDraft) => void {
  return (r) => {
    const { attributes } = r;
    const sku = attributes.required('sku_name');
    const tier = sku.split('_')[0] ?? '';
    r.hours(`Compute (${sku})`);
    r.part(() => {
      const megabytes = attributes.computed.number('storage_mb');
      if (megabytes === undefined) attributes.required('storage_mb');
      r.monthly('Storage', 'GB', (megabytes ?? Decimal.ZERO).dividedBy(1024), {
        key: `${family}/storage/${tier.toLowerCase()}`,
      });
    });
    r.part(() => {
      const geo = attributes.isTrue('geo_redundant_backup_enabled') ? 'grs' : 'lrs';
      r.perUse('Additional backup storage', 'GB', r.usage('additional_backup_storage_gb'), {
        key: `${family}/backup-storage/${tier.toLowerCase()}-${geo}`,
      });
    });
  };
}

function postgresFlexible(r: ResourceDraft): void {
  const { attributes } = r;
  const zones = attributes.first('high_availability')?.text('mode');
  // A standby costs what its primary does.
  const servers = zones === undefined ? Decimal.ONE : Decimal.of(2);
  r.part(() => {
    const sku = attributes.computed.text('sku_name') ?? attributes.required('sku_name');
    r.hours(`Compute (${sku})`, { count: servers });
  });
  r.part(() => {
    const size = attributes.computed.number('storage_mb')?.dividedBy(1024);
    if (size) r.monthly('Storage', 'GB', size.times(servers));
    else r.perUse('Storage', 'GB', undefined);
  });
  r.perUse('Additional backup storage', 'GB', r.usage('additional_backup_storage_gb'));
}

const MYSQL_DEFAULT_GB = 20;
const MYSQL_FREE_IOPS = 360;

function mysqlFlexible(r: ResourceDraft): void {
  const { attributes } = r;
  r.part(() =>
    r.hours(`Compute (${attributes.computed.text('sku_name') ?? attributes.required('sku_name')})`),
  );
  r.part(() => {
    const storage = attributes.block('storage').computed;
    const given = storage.number('size_gb');
    r.monthly('Storage', 'GB', given === undefined || given.isZero() ? Decimal.of(MYSQL_DEFAULT_GB) : given);
    const extra = (storage.number('iops') ?? Decimal.ZERO).minus(Decimal.of(MYSQL_FREE_IOPS)).atLeast(0);
    if (!extra.isZero()) r.monthly('Additional IOPS', 'IOPS', extra);
  });
  r.perUse('Additional backup storage', 'GB', r.usage('additional_backup_storage_gb'));
}

function redis(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.required('sku_name');
  const capacity = attributes.number('capacity');
  if (capacity === undefined) attributes.required('capacity');
  const family = attributes.required('family').toUpperCase();
  const title = sku.charAt(0).toUpperCase() + sku.slice(1).toLowerCase();
  const shards = attributes.computed.number('shard_count') ?? Decimal.ONE;
  const replicas =
    attributes.computed.number('replicas_per_primary') ??
    attributes.computed.number('replicas_per_master') ??
    Decimal.ONE;
  const nodes =
    title === 'Premium'
      ? shards.atLeast(1).times(replicas.plus(Decimal.ONE))
      : title === 'Standard'
        ? Decimal.of(2)
        : Decimal.ONE;
  r.monthly(`Cache usage (${title}_${family}${capacity?.toString() ?? ''})`, 'nodes', nodes);
}

function managedRedis(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.required('sku_name');
  const available = attributes.flag('high_availability_enabled') !== false;
  r.hours(`Cache usage (${sku})`, { count: available ? 2 : 1 });
}

export const azureDatabases: Rules = {
  azurerm_postgresql_server: singleServer('postgresql_server'),
  azurerm_mysql_server: singleServer('mysql_server'),
  azurerm_mariadb_server: singleServer('mariadb_server'),
  azurerm_postgresql_flexible_server: postgresFlexible,
  azurerm_mysql_flexible_server: mysqlFlexible,
  azurerm_redis_cache: redis,
  azurerm_managed_redis: managedRedis,
  azurerm_synapse_sql_pool: (r) => {
    const { attributes } = r;
    r.part(() => r.hours(`DWU blocks (${attributes.required('sku_name')})`));
    r.perUse('Storage', 'TB', r.usage('storage_tb'));
    r.part(() => {
      if (attributes.flag('geo_backup_policy_enabled') !== false)
        r.perUse('Geo-redundant disaster recovery', 'TB', r.usage('storage_tb'));
    });
  },
  azurerm_synapse_spark_pool: (r) => {
    const { attributes } = r;
    const sizes: Record<string, number> = { small: 4, medium: 8, large: 16, xlarge: 32, xxlarge: 64 };
    const size = attributes.required('node_size').toLowerCase();
    const cores = sizes[size];
    if (cores === undefined) r.log.note('node_size');
    const scaling = attributes.first('auto_scale');
    const nodes =
      scaling?.number('min_node_count') ?? attributes.computed.number('node_count') ?? Decimal.of(3);
    const hours = r.usage('monthly_hours');
    r.perUse(`${size} (${nodes.toString()} nodes)`, 'vCore-hours', hours?.times(nodes).times(cores ?? 0), {
      key: 'synapse_spark_pool/vcore-hours',
    });
  },
  azurerm_synapse_workspace: (r) => {
    const managed = r.attributes.isTrue('managed_virtual_network_enabled');
    describeUse(r, [['Serverless SQL pool size', 'TB', 'serverless_sql_pool_size_tb']]);
    const azure = managed ? '-managed' : '';
    const key = (name: string) => ({ key: `synapse_workspace/${name}${azure}` });
    describeUse(r, [
      [
        'Data pipeline azure hosted activity runs',
        '1k activity runs',
        'monthly_datapipeline_azure_hosted_activity_runs',
        1,
        key('azure-activity-runs'),
      ],
      [
        'Data pipeline azure hosted data integration units',
        'DIU-hours',
        'monthly_datapipeline_azure_hosted_data_integration_units',
        1,
        key('azure-diu'),
      ],
      [
        'Data pipeline azure hosted integration runtime',
        'hours',
        'monthly_datapipeline_azure_hosted_integration_runtime_hours',
        1,
        key('azure-runtime'),
      ],
      [
        'Data pipeline azure hosted external integration runtime',
        'hours',
        'monthly_datapipeline_azure_hosted_external_integration_runtime_hours',
        1,
        key('azure-external-runtime'),
      ],
      [
        'Data pipeline self hosted activity runs',
        '1k activity runs',
        'monthly_datapipeline_self_hosted_activity_runs',
        1,
      ],
      [
        'Data pipeline self hosted data movement',
        'hours',
        'monthly_datapipeline_self_hosted_data_movement_hours',
      ],
      [
        'Data pipeline self hosted integration runtime',
        'hours',
        'monthly_datapipeline_self_hosted_integration_runtime_hours',
      ],
      [
        'Data pipeline self hosted external integration runtime',
        'hours',
        'monthly_datapipeline_self_hosted_external_integration_runtime_hours',
      ],
      ['Data flow (basic)', 'vCore-hours', 'monthly_dataflow_basic_vcore_hours'],
      ['Data flow (standard)', 'vCore-hours', 'monthly_dataflow_standard_vcore_hours'],
    ]);
  },
};
