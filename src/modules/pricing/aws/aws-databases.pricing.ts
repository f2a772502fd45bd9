import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import { onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/aws/{dynamodb_table,elasticache_*,docdb_*,neptune_*,
// redshift_cluster,search_domain,dms_replication_instance}.go (Apache-2.0).

function dynamoTable(r: ResourceDraft): void {
  const { attributes } = r;
  const onDemand = attributes.text('billing_mode') === 'PAY_PER_REQUEST';
  if (onDemand) {
    r.perUse('Write request unit (WRU)', 'WRUs', r.usage('monthly_write_request_units'));
    r.perUse('Read request unit (RRU)', 'RRUs', r.usage('monthly_read_request_units'));
  } else {
    const target = r.linked('aws_appautoscaling_target', tableTarget(attributes));
    const scaled = target === undefined ? '' : ', autoscaling';
    r.part(() =>
      capacity(r, { name: `Write capacity unit (WCU${scaled})`, unit: 'WCU', attribute: 'write_capacity' }),
    );
    r.part(() =>
      capacity(r, { name: `Read capacity unit (RCU${scaled})`, unit: 'RCU', attribute: 'read_capacity' }),
    );
  }
  r.perUse('Data storage', 'GB', r.usage('storage_gb'));
  if (attributes.block('point_in_time_recovery').isTrue('enabled'))
    r.perUse('Point-In-Time Recovery (PITR) backup storage', 'GB', r.usage('pitr_backup_storage_gb'));
  r.perUse('On-demand backup storage', 'GB', r.usage('on_demand_backup_storage_gb'));
  r.perUse('Table data restored', 'GB', r.usage('monthly_data_restored_gb'));
  r.perUse('Streams read request unit (sRRU)', 'sRRUs', r.usage('monthly_streams_read_request_units'));
  for (const replica of attributes.blocks('replica')) r.part(() => replicaOf(r, replica, { onDemand }));
}

function tableTarget(attributes: AttributeReader): string | undefined {
  const name = attributes.text('name');
  return name === undefined ? undefined : `table/${name}`;
}

function capacity(r: ResourceDraft, of: { name: string; unit: string; attribute: string }): void {
  const units = r.attributes.computed.number(of.attribute) ?? Decimal.ONE;
  r.monthly(of.name, of.unit, units, { key: `dynamodb_table/${of.attribute.replace('_', '-')}-unit` });
}

/** A replica's writes cost what they cost in its region. */
function replicaOf(r: ResourceDraft, replica: AttributeReader, { onDemand }: { onDemand: boolean }): void {
  const region = replica.required('region_name');
  const prefix = `Global table (${region}) / `;
  r.part(() => {
    if (onDemand) {
      const key = 'dynamodb_table/replicated-write-request-unit';
      r.perUse('Replicated write request unit (rWRU)', 'rWRU', r.usage('monthly_write_request_units'), {
        key,
        region,
      });
    } else {
      const key = 'dynamodb_table/replicated-write-capacity-unit';
      const units = r.attributes.computed.number('write_capacity') ?? Decimal.ONE;
      r.monthly('Replicated write capacity unit (rWCU)', 'rWCU', units, { key, region });
    }
  }, prefix);
}

function cacheCluster(r: ResourceDraft): void {
  const { attributes } = r;
  // The nodes of a replication group are priced there.
  if ((attributes.text('replication_group_id') ?? '') !== '') return;
  const engine = attributes.computed.text('engine') ?? 'memcached';
  r.part(() => nodes(r, engine, attributes.computed.number('num_cache_nodes') ?? Decimal.ONE));
  if (engine === 'redis' || engine === 'valkey') r.part(() => snapshots(r));
}

function nodes(r: ResourceDraft, engine: string, count: Decimal, scaled = ''): void {
  const type = r.attributes.computed.text('node_type') ?? r.attributes.required('node_type');
  const term = r.usageText('reserved_instance_term');
  const family = engine === 'valkey' ? 'valkey' : 'redis';
  if (term === undefined)
    r.hours(`ElastiCache (on-demand, ${type}${scaled})`, {
      count,
      key: `elasticache/${family}/on_demand/${type}`,
    });
  else {
    const option = r.usageText('reserved_instance_payment_option') ?? 'no_upfront';
    r.hours(`ElastiCache (reserved, ${type}${scaled})`, {
      count,
      key: `elasticache/${family}/reserved-${term}-${option}/${type}`,
    });
  }
}

/** Backups of one day are included. */
function snapshots(r: ResourceDraft): void {
  const days = r.attributes.computed.number('snapshot_retention_limit') ?? Decimal.ZERO;
  if (!days.isMore(1)) return;
  const size = r.usage('snapshot_storage_size_gb');
  r.perUse('Backup storage', 'GB', size?.times(days.minus(Decimal.ONE)), {
    key: 'elasticache/backup-storage',
  });
}

function replicationGroup(r: ResourceDraft): void {
  const { computed } = r.attributes;
  const target = r.linked('aws_appautoscaling_target', groupTarget(r.attributes));
  const mode = computed.first('cluster_mode');
  const groups = computed.number('num_node_groups') ?? mode?.number('num_node_groups');
  const replicas =
    computed.number('replicas_per_node_group') ?? mode?.number('replicas_per_node_group') ?? Decimal.ZERO;
  const clusters = computed.number('num_cache_clusters') ?? computed.number('number_cache_clusters');
  const clustered =
    groups !== undefined && (groups.isMore(1) || !replicas.isZero() || clusters === undefined);
  const count = clustered ? groups.plus(groups.times(replicas)) : (clusters ?? Decimal.ONE);
  r.part(() =>
    nodes(r, computed.text('engine') ?? 'redis', count, target === undefined ? '' : ', autoscaling'),
  );
  r.part(() => snapshots(r));
}

function groupTarget(attributes: AttributeReader): string | undefined {
  const id = attributes.text('replication_group_id');
  return id === undefined ? undefined : `replication-group/${id}`;
}

function documentInstance(r: ResourceDraft): void {
  r.part(() => {
    const type = r.attributes.required('instance_class');
    r.hours(`Database instance (on-demand, ${type})`);
    if (/^db\.t[34]g?\./.test(type)) {
      const hours = r.usage('monthly_cpu_credit_hrs');
      r.perUse('CPU credits', 'vCPU-hours', hours);
    }
  });
  r.perUse('Storage', 'GB', r.usage('data_storage_gb'));
  r.perUse('I/O requests', '1M requests', r.usage('monthly_io_requests', 1_000_000));
}

function documentCluster(r: ResourceDraft): void {
  const days = r.attributes.computed.number('backup_retention_period') ?? Decimal.ONE;
  const size = r.usage('backup_storage_gb');
  if (days.isMore(1) || size) r.perUse('Backup storage', 'GB', size);
}

function graphCluster(r: ResourceDraft): void {
  r.perUse('Storage', 'GB', r.usage('storage_gb'));
  r.perUse('I/O requests', '1M request', r.usage('monthly_io_requests', 1_000_000));
  const days = r.attributes.computed.number('backup_retention_period') ?? Decimal.ONE;
  if (days.isMore(1)) r.perUse('Backup storage', 'GB', r.usage('backup_storage_gb'));
}

function graphInstance(r: ResourceDraft): void {
  const { attributes } = r;
  const cluster = r.linked('aws_neptune_cluster', attributes.text('cluster_identifier'));
  const storage = attributes.computed.text('storage_type') ?? cluster?.computed.text('storage_type');
  const optimized = storage === 'iopt1' ? '-io-optimized' : '';
  const type = attributes.required('instance_class');
  r.hours(`Database instance (on-demand, ${type})`, {
    key: `neptune_cluster_instance/on_demand${optimized}/${type}`,
  });
  if (/^db\.t[34]g?\./.test(type))
    r.perUse('CPU credits', 'vCPU-hours', r.usage('monthly_cpu_credit_hrs')?.times(730));
}

/** The included part of a cluster's snapshot is a backup of one day. */
function graphSnapshot(r: ResourceDraft): void {
  const cluster = r.linked('aws_neptune_cluster', r.attributes.text('db_cluster_identifier'));
  const days = cluster?.computed.number('backup_retention_period') ?? Decimal.ONE;
  if (days.isMore(1) || cluster === undefined)
    return r.perUse('Backup storage', 'GB', r.usage('backup_storage_gb'));
  return undefined;
}

function redshift(r: ResourceDraft): void {
  const type = r.attributes.required('node_type');
  const count = r.attributes.computed.number('number_of_nodes') ?? Decimal.ONE;
  r.hours(`Cluster usage (on-demand, ${type})`, { count });
  if (type.startsWith('ra3')) r.perUse(`Managed storage (${type})`, 'GB', r.usage('managed_storage_gb'));
  r.perUse(
    `Concurrency scaling (${type})`,
    'node-seconds',
    r.usage('excess_concurrency_scaling_secs')?.times(count),
  );
  r.perUse('Spectrum', 'TB', r.usage('spectrum_data_scanned_tb'));
  r.perUse('Backup storage', 'GB', r.usage('backup_storage_gb'), { tierScale: { spaced: true } });
}

function searchDomain(r: ResourceDraft): void {
  const { attributes } = r;
  const cluster = attributes.computed.block('cluster_config');
  const suffix = r.input.type === 'aws_opensearch_domain' ? 'search' : 'elasticsearch';
  r.part(() => {
    const type = cluster.computed.text('instance_type') ?? `m4.large.${suffix}`;
    r.hours(`Instance (on-demand, ${type})`, {
      count: cluster.computed.number('instance_count') ?? Decimal.ONE,
      key: `search/instance/${searchType(type)}`,
    });
  });
  r.part(() => searchStorage(r, cluster.computed.number('instance_count') ?? Decimal.ONE));
  if (cluster.isTrue('dedicated_master_enabled')) {
    const type = cluster.computed.text('dedicated_master_type') ?? `m4.large.${suffix}`;
    const count = cluster.computed.number('dedicated_master_count') ?? Decimal.of(3);
    r.hours(`Dedicated master (on-demand, ${type})`, { count, key: `search/instance/${searchType(type)}` });
  }
  if (cluster.isTrue('warm_enabled')) {
    const type = cluster.computed.text('warm_type') ?? `ultrawarm1.medium.${suffix}`;
    const count = cluster.computed.number('warm_count') ?? Decimal.of(2);
    r.hours(`UltraWarm instance (on-demand, ${type})`, { count, key: `search/instance/${searchType(type)}` });
  }
}

/** `c4.2xlarge.search` and `c4.2xlarge.elasticsearch` are the same machine. */
function searchType(type: string): string {
  return type.replace(/\.(?:elastic)?search$/, '');
}

const SEARCH_VOLUME_GB = 8;
const SEARCH_GP3_THROUGHPUT = 125;

function searchStorage(r: ResourceDraft, count: Decimal): void {
  const ebs = r.attributes.computed.first('ebs_options');
  if (ebs?.flag('ebs_enabled') === false) return;
  const type = ebs?.computed.text('volume_type') ?? 'gp2';
  const size = ebs?.computed.number('volume_size') ?? Decimal.of(SEARCH_VOLUME_GB);
  r.monthly(`Storage (${type})`, 'GB', size.times(count), { key: `search/storage/${type}` });
  if (type === 'io1') {
    const iops = ebs?.computed.number('iops') ?? Decimal.ONE;
    r.monthly('Storage IOPS (io1)', 'IOPS', iops.times(count), { key: 'search/iops/io1' });
  }
  const throughput = ebs?.computed.number('throughput');
  if (type === 'gp3' && throughput?.isMore(SEARCH_GP3_THROUGHPUT) === true)
    r.monthly('Throughput (gp3)', 'Mbps', throughput.minus(Decimal.of(SEARCH_GP3_THROUGHPUT)).times(count), {
      key: 'search/throughput/gp3',
    });
}

function replicationInstance(r: ResourceDraft): void {
  const { attributes } = r;
  const type = attributes.required('replication_instance_class').replace(/^dms\./, '');
  const zones = attributes.computed.isTrue('multi_az') ? 'multi-az' : 'single-az';
  r.hours(`Instance (${type})`, { key: `dms_replication_instance/instance/${zones}/${type}` });
  r.part(() => {
    // 50 GB are included, 100 GB with the larger families.
    const included = /^(c4|r4|c5|r5)\./.test(type) ? 100 : 50;
    const size = attributes.computed.number('allocated_storage') ?? Decimal.ZERO;
    if (size.isMore(included))
      r.monthly('Storage (general purpose SSD, gp2)', 'GB', size.minus(Decimal.of(included)), {
        key: `dms_replication_instance/storage/${zones}`,
      });
  });
}

export const awsDatabases: Rules = {
  aws_dynamodb_table: dynamoTable,
  aws_elasticache_cluster: cacheCluster,
  aws_elasticache_replication_group: replicationGroup,
  aws_docdb_cluster: documentCluster,
  aws_docdb_cluster_instance: documentInstance,
  aws_docdb_cluster_snapshot: ['docdb_cluster', onlyUse(['Backup storage', 'GB', 'backup_storage_gb'])],
  aws_neptune_cluster: graphCluster,
  aws_neptune_cluster_instance: graphInstance,
  aws_neptune_cluster_snapshot: ['neptune_cluster', graphSnapshot],
  aws_redshift_cluster: redshift,
  aws_opensearch_domain: searchDomain,
  aws_elasticsearch_domain: searchDomain,
  aws_dms_replication_instance: replicationInstance,
};
