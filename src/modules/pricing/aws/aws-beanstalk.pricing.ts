import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/aws/elastic_beanstalk_environment.go (Apache-2.0).

function environment(r: ResourceDraft): void {
  const settings = readSettings(r.attributes);
  const number = (name: string) => Decimal.parse(settings.get(name) ?? '');
  const balanced = settings.get('EnvironmentType') !== 'SingleInstance';
  r.part(() => {
    const type = settings.get('InstanceType') ?? settings.get('InstanceTypes')?.split(',')[0] ?? 't3.micro';
    const count = balanced ? (number('MinSize') ?? Decimal.ONE) : Decimal.ONE;
    r.times(count, () => {
      r.hours(`Instance usage (Linux/UNIX, on-demand, ${type.trim()})`, {
        key: `ec2/instance/linux/shared/on_demand/${type.trim()}`,
      });
      rootVolume(r, settings);
    });
  }, 'aws_launch_configuration / ');
  if (balanced) r.part(() => balancer(r, settings.get('LoadBalancerType') ?? 'classic'));
  if (settings.get('StreamLogs') === 'true') r.part(() => logs(r), 'aws_cloudwatch_log_group / ');
  const database = settings.get('DBInstanceClass');
  if (database !== undefined) r.part(() => databaseOf(r, database, settings), 'aws_db_instance / ');
}

function readSettings(attributes: AttributeReader): Map<string, string> {
  const settings = new Map<string, string>();
  for (const setting of [...attributes.computed.blocks('all_settings'), ...attributes.blocks('setting')])
    settings.set(setting.text('name') ?? '', setting.text('value') ?? '');
  return settings;
}

const VOLUME_LABELS: Record<string, string> = {
  gp2: 'general purpose SSD, gp2',
  gp3: 'general purpose SSD, gp3',
  io1: 'provisioned IOPS SSD, io1',
  standard: 'magnetic',
};

function rootVolume(r: ResourceDraft, settings: Map<string, string>): void {
  const type = settings.get('RootVolumeType') ?? 'gp2';
  const size = Decimal.parse(settings.get('RootVolumeSize') ?? '') ?? Decimal.of(8);
  r.part(() => {
    r.monthly(`Storage (${VOLUME_LABELS[type] ?? type})`, 'GB', size, { key: `ebs/${type}/storage` });
    const iops = Decimal.parse(settings.get('RootVolumeIOPS') ?? '');
    if (type === 'io1')
      r.monthly('Provisioned IOPS', 'IOPS', iops ?? Decimal.of(100), { key: 'ebs/io1/iops' });
  }, 'aws_ebs_volume / ');
}

function balancer(r: ResourceDraft, type: string): void {
  if (type === 'classic') {
    r.part(() => {
      r.hours('Classic load balancer', { key: 'elb/classic-load-balancer' });
      r.perUse('Data processed', 'GB', r.usageIn('elb')('monthly_data_processed_gb'), {
        key: 'elb/data-processed',
      });
    }, 'aws_elb / ');
    return;
  }
  const name = type === 'network' ? 'Network load balancer' : 'Application load balancer';
  r.part(() => {
    r.hours(name, { key: `lb/${type}-load-balancer` });
    r.perUse('Load balancer capacity units', 'LCU', r.usageIn('lb')('processed_bytes_gb', 730), {
      key: `lb/capacity-units/${type}`,
    });
  }, 'aws_loadbalancer / ');
}

function logs(r: ResourceDraft): void {
  const key = (name: string) => ({ key: `cloudwatch_log_group/${name}` });
  const usage = r.usageIn('cloudwatch');
  r.perUse('Data ingested', 'GB', usage('monthly_data_ingested_gb'), key('data-ingested'));
  r.perUse('Archival Storage', 'GB', usage('storage_gb'), key('archival-storage'));
  r.perUse(
    'Insights queries data scanned',
    'GB',
    usage('monthly_data_scanned_gb'),
    key('insights-queries-data-scanned'),
  );
}

function databaseOf(r: ResourceDraft, instanceClass: string, settings: Map<string, string>): void {
  const zones = settings.get('MultiAZDatabase') === 'true' ? 'Multi-AZ' : 'Single-AZ';
  const where = zones === 'Multi-AZ' ? 'multi_az' : 'single_az';
  const engine = settings.get('DBEngine') ?? 'mysql';
  r.hours(`Database instance (on-demand, ${zones}, ${instanceClass})`, {
    key: `rds/instance/${engine}/${where}/on_demand/${instanceClass}`,
  });
  const size = Decimal.parse(settings.get('DBAllocatedStorage') ?? '') ?? Decimal.of(20);
  r.monthly('Storage (general purpose SSD, gp2)', 'GB', size, { key: `rds/storage/gp2/${where}` });
  r.perUse('Additional backup storage', 'GB', r.usageIn('db')('additional_backup_storage_gb'), {
    key: 'rds/backup-storage/rds',
  });
}

export const awsBeanstalk: Rules = { aws_elastic_beanstalk_environment: environment };
