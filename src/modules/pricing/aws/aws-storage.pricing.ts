import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/aws/{efs_file_system,fsx_*,backup_vault,
// transfer_server,s3_bucket_*}.go (Apache-2.0).

function fileSystem(r: ResourceDraft): void {
  const { attributes } = r;
  const oneZone = (attributes.computed.text('availability_zone_name') ?? '') !== '';
  const storage = r.usage('storage_gb');
  r.perUse(oneZone ? 'Storage (one zone)' : 'Storage (standard)', 'GB', storage);
  const throughput = attributes.number('provisioned_throughput_in_mibps');
  if (throughput) {
    // 50 KiB/s a GB of storage are included: https://aws.amazon.com/efs/pricing/ (2026-07).
    const included = (storage ?? Decimal.ZERO).times(Decimal.of('0.05'));
    r.monthly('Provisioned throughput', 'MBps', throughput.minus(included).atLeast(0));
  }
  if (attributes.blocks('lifecycle_policy').length === 0) return;
  const cold = oneZone ? 'Storage (one zone, infrequent access)' : 'Storage (standard, infrequent access)';
  describeUse(r, [
    [cold, 'GB', 'infrequent_access_storage_gb'],
    ['Read requests (infrequent access)', 'GB', 'monthly_infrequent_access_read_gb'],
    ['Write requests (infrequent access)', 'GB', 'monthly_infrequent_access_write_gb'],
  ]);
}

function windowsFileSystem(r: ResourceDraft): void {
  const { attributes } = r;
  const zones =
    attributes.computed.text('deployment_type')?.startsWith('MULTI_AZ') === true ? 'multi-az' : 'single-az';
  r.part(() => {
    const throughput = attributes.number('throughput_capacity') ?? undefined;
    if (throughput === undefined) attributes.required('throughput_capacity');
    r.monthly('Throughput capacity', 'MBps', throughput ?? Decimal.ZERO, {
      key: `fsx_windows_file_system/throughput/${zones}`,
    });
  });
  r.part(() => {
    const hdd = attributes.computed.text('storage_type') === 'HDD';
    const size = attributes.computed.number('storage_capacity');
    if (size === undefined) attributes.required('storage_capacity');
    const key = `fsx_windows_file_system/${hdd ? 'hdd' : 'ssd'}-storage/${zones}`;
    r.monthly(hdd ? 'HDD storage' : 'SSD storage', 'GB', size ?? Decimal.ZERO, { key });
  });
  r.perUse('Backup storage', 'GB', r.usage('backup_storage_gb'), {
    key: `fsx_windows_file_system/backup-storage/${zones}`,
  });
}

const ZFS_IOPS_PER_GB = 3;

function zfsFileSystem(r: ResourceDraft): void {
  const { attributes } = r;
  r.part(() => {
    const throughput = attributes.number('throughput_capacity');
    if (throughput === undefined) attributes.required('throughput_capacity');
    r.monthly('Throughput capacity', 'MBps', throughput ?? Decimal.ZERO);
  });
  const size = attributes.computed.number('storage_capacity');
  if (size === undefined) attributes.required('storage_capacity');
  const compression =
    attributes.block('root_volume_configuration').computed.text('data_compression_type') ?? 'NONE';
  const saved = r.usage('compression_savings_percent') ?? Decimal.of(50);
  const kept = (size ?? Decimal.ZERO).times(Decimal.of(100).minus(saved)).dividedBy(100);
  if (compression === 'NONE') r.monthly('SSD storage', 'GB', size ?? Decimal.ZERO);
  else
    r.monthly(`SSD storage (${compression} compression, ${saved.toString()}%)`, 'GB', kept, {
      key: 'fsx_openzfs_file_system/ssd-storage',
    });
  r.part(() => {
    const iops = attributes.computed.block('disk_iops_configuration');
    const included = (size ?? Decimal.ZERO).times(ZFS_IOPS_PER_GB);
    const provisioned = iops.number('iops');
    if (iops.text('mode') === 'USER_PROVISIONED' && provisioned?.isMore(included) === true)
      r.monthly('Provisioned IOPS', 'IOPS', provisioned.minus(included));
  });
  r.perUse('Backup storage', 'GB', r.usage('backup_storage_gb'));
}

function transferServer(r: ResourceDraft): void {
  const protocols = r.attributes.computed.texts('protocols');
  for (const protocol of protocols.length > 0 ? protocols : ['SFTP']) r.hours(`${protocol} protocol enabled`);
  r.perUse('Data uploaded', 'GB', r.usage('monthly_data_uploaded_gb'));
  r.perUse('Data downloaded', 'GB', r.usage('monthly_data_downloaded_gb'));
}

export const awsStorage: Rules = {
  aws_efs_file_system: fileSystem,
  aws_fsx_windows_file_system: windowsFileSystem,
  aws_fsx_openzfs_file_system: zfsFileSystem,
  aws_transfer_server: transferServer,
  aws_s3_bucket_analytics_configuration: onlyUse([
    'Objects monitored',
    '1M objects',
    'monthly_monitored_objects',
    1_000_000,
  ]),
  aws_s3_bucket_inventory: onlyUse(['Objects listed', '1M objects', 'monthly_listed_objects', 1_000_000]),
  aws_backup_vault: onlyUse(
    ['EFS backup (warm)', 'GB', 'monthly_efs_warm_backup_gb'],
    ['EFS backup (cold)', 'GB', 'monthly_efs_cold_backup_gb'],
    ['EFS restore (warm)', 'GB', 'monthly_efs_warm_restore_gb'],
    ['EFS restore (cold)', 'GB', 'monthly_efs_cold_restore_gb'],
    ['EFS restore (item-level)', 'requests', 'monthly_efs_item_restore_requests'],
    ['EBS snapshot', 'GB', 'monthly_ebs_snapshot_gb'],
    ['RDS snapshot', 'GB', 'monthly_rds_snapshot_gb'],
    ['DynamoDB backup', 'GB', 'monthly_dynamodb_backup_gb'],
    ['DynamoDB restore', 'GB', 'monthly_dynamodb_restore_gb'],
    ['Aurora snapshot', 'GB', 'monthly_aurora_snapshot_gb'],
    ['FSx for Windows backup', 'GB', 'monthly_fsx_windows_backup_gb'],
    ['FSx for Lustre backup', 'GB', 'monthly_fsx_lustre_backup_gb'],
  ),
};
