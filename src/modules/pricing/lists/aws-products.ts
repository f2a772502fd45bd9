import type { Placed } from './listed-price.js';

type Attributes = Record<string, string>;

/** The key of an AWS product that rules can ask for; undefined for all others. */
export function placeAwsProduct(family: string, attributes: Attributes): Placed | undefined {
  const usage = (attributes['usagetype'] ?? '').replace(/^[A-Z]{2,4}\d?-/, '');
  switch (attributes['servicecode'] ?? attributes['serviceCode'] ?? '') {
    case 'AmazonEC2':
      return computeProduct(family, attributes, usage);
    case 'AmazonRDS':
      return databaseProduct(family, attributes);
    case 'AmazonElastiCache':
      return cacheProduct(family, attributes);
    case 'AWSELB':
      return BALANCERS[usage];
    default:
      return OTHERS[usage];
  }
}

const SYSTEMS: Record<string, string> = { Linux: 'linux', Windows: 'windows', RHEL: 'rhel', SUSE: 'suse' };

function computeProduct(family: string, attributes: Attributes, usage: string): Placed | undefined {
  if (family.startsWith('Compute Instance')) return instanceProduct(attributes);
  const volume = attributes['volumeApiName'] ?? '';
  if (family === 'Storage' && volume !== '') return { key: `ebs/${volume}/storage`, unit: 'GB' };
  if (family === 'System Operation' && attributes['group'] === 'EBS IOPS' && volume !== '')
    return { key: `ebs/${volume}/iops`, unit: 'IOPS' };
  if (family === 'System Operation' && attributes['group'] === 'EBS I/O Requests')
    return { key: 'ebs/standard/requests', unit: '1M request', times: '1000000' };
  // Listed by gigabytes a second.
  if (family === 'Provisioned Throughput' && volume !== '')
    return { key: `ebs/${volume}/throughput`, unit: 'Mbps', times: '0.0009765625' };
  if (family === 'Load Balancer' || family.startsWith('Load Balancer-')) return BALANCERS[usage];
  return OTHERS[usage];
}

function instanceProduct(attributes: Attributes): Placed | undefined {
  const system = SYSTEMS[attributes['operatingSystem'] ?? ''];
  const tenancy = attributes['tenancy'];
  const plain =
    attributes['preInstalledSw'] === 'NA' &&
    attributes['capacitystatus'] === 'Used' &&
    attributes['licenseModel'] === 'No License required';
  if (system === undefined || !plain || (tenancy !== 'Shared' && tenancy !== 'Dedicated')) return undefined;
  return {
    key: `ec2/instance/${system}/${tenancy.toLowerCase()}/on_demand/${attributes['instanceType'] ?? ''}`,
    unit: 'hours',
  };
}

const ENGINES: Record<string, string> = {
  MySQL: 'mysql',
  MariaDB: 'mariadb',
  PostgreSQL: 'postgres',
  'Aurora MySQL': 'aurora-mysql',
  'Aurora PostgreSQL': 'aurora-postgresql',
};
const EDITIONS: Record<string, string> = {
  'Oracle Standard Two': 'oracle-se2',
  'Oracle Enterprise': 'oracle-ee',
  'SQL Server Express': 'sqlserver-ex',
  'SQL Server Web': 'sqlserver-web',
  'SQL Server Standard': 'sqlserver-se',
  'SQL Server Enterprise': 'sqlserver-ee',
};
const ZONES: Record<string, string> = { 'Single-AZ': 'single_az', 'Multi-AZ': 'multi_az' };
const DATABASE_VOLUMES: Record<string, string> = {
  'General Purpose': 'gp2',
  'General Purpose-GP3': 'gp3',
  'Provisioned IOPS': 'io1',
  Magnetic: 'standard',
};

function databaseProduct(family: string, attributes: Attributes): Placed | undefined {
  const zones = ZONES[attributes['deploymentOption'] ?? ''];
  if (zones === undefined) return undefined;
  if (family === 'Database Storage') {
    const volume = DATABASE_VOLUMES[attributes['volumeType'] ?? ''];
    return volume === undefined || attributes['databaseEngine'] !== 'Any'
      ? undefined
      : { key: `rds/storage/${volume}/${zones}`, unit: 'GB' };
  }
  return family === 'Database Instance' ? databaseInstance(attributes, zones) : undefined;
}

function databaseInstance(attributes: Attributes, zones: string): Placed | undefined {
  const optimized = /IOOptimized/.test(attributes['usagetype'] ?? '') ? '-io-optimized' : '';
  const name = `${attributes['databaseEngine'] ?? ''} ${attributes['databaseEdition'] ?? ''}`.trim();
  const edition = EDITIONS[name];
  const byol = attributes['licenseModel'] === 'Bring your own license';
  const engine =
    edition === undefined
      ? ENGINES[attributes['databaseEngine'] ?? '']
      : `${edition}${byol ? '-byol' : '-license-included'}`;
  if (engine === undefined) return undefined;
  return {
    key: `rds/instance/${engine}${optimized}/${zones}/on_demand/${attributes['instanceType'] ?? ''}`,
    unit: 'hours',
  };
}

function cacheProduct(family: string, attributes: Attributes): Placed | undefined {
  if (family !== 'Cache Instance') return undefined;
  const engine = (attributes['cacheEngine'] ?? '').toLowerCase();
  if (engine !== 'redis' && engine !== 'valkey') return undefined;
  return { key: `elasticache/${engine}/on_demand/${attributes['instanceType'] ?? ''}`, unit: 'hours' };
}

/** Capacity units are listed by the hour, and asked for by the month. */
const BALANCERS: Record<string, Placed> = {
  LoadBalancerUsage: { key: 'lb/application-load-balancer', unit: 'hours' },
  'LoadBalancerUsage-Network': { key: 'lb/network-load-balancer', unit: 'hours' },
  LCUUsage: { key: 'lb/capacity-units/application', unit: 'LCU', times: '730' },
};

const OTHERS: Record<string, Placed> = {
  'EBS:SnapshotUsage': { key: 'ebs_snapshot/ebs-snapshot-storage', unit: 'GB' },
  'NatGateway-Hours': { key: 'nat_gateway/nat-gateway', unit: 'hours' },
  'NatGateway-Bytes': { key: 'nat_gateway/data-processed', unit: 'GB' },
  'PublicIPv4:InUseAddress': { key: 'vpc/public-ipv4', unit: 'hours' },
  'AmazonEKS-Hours:perCluster': { key: 'eks_cluster/eks-cluster', unit: 'hours' },
  'KMS-Keys': { key: 'kms_key/customer-master-key', unit: 'months' },
  'AWSSecretsManager-Secrets': { key: 'secretsmanager_secret/secret', unit: 'months' },
  'Lambda-GB-Second': { key: 'lambda_function/duration', unit: 'GB-seconds' },
  'Lambda-GB-Second-ARM': { key: 'lambda_function/duration-arm64', unit: 'GB-seconds' },
  Request: { key: 'lambda_function/requests', unit: '1M requests', times: '1000000' },
  'DataProcessing-Bytes': { key: 'cloudwatch_log_group/data-ingested', unit: 'GB' },
  'TimedStorage-ByteHrs': { key: 's3_bucket/standard/storage', unit: 'GB' },
  'Fargate-vCPU-Hours:perCPU': { key: 'fargate/cpu', unit: 'CPU', times: '730' },
  'Fargate-GB-Hours': { key: 'fargate/memory', unit: 'GB', times: '730' },
};
