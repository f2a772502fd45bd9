import type { EstateResource } from './estate.js';

/** Name, quantity a month, price of one, and their product, all worked out by hand. */
export type HandPricedPart = [name: string, quantity: string, price: string, monthly: string];

export interface HandPriced {
  resource: EstateResource;
  usage?: Record<string, number>;
  parts: HandPricedPart[];
  /** the sum of the parts */
  monthly: string;
  source: string;
}

const KARPENTER = 'Karpenter: prices of AWS instances in us-east-1, made 2026-07-20';
const CONSENSUS = 'AWS price pages, where several sources of the facts agree';
const INFRACOST = 'published estimates of Infracost (95ba4f49)';
const FOCUS = 'sample bill of the FOCUS project, 2024-09';

function aws(type: string, name: string, attributes: object, region = 'us-east-1'): EstateResource {
  return { type, name, attributes: { id: name, arn: `arn:aws:x:${region}:1:${name}`, ...attributes } };
}

/**
 * Resources that were priced by hand: from the price of each source and the provider's own billing rules (730 hours a
 * month), never by the rules of the service. Their figures are not to be adjusted to what the service says.
 */
export const HAND_PRICED: readonly HandPriced[] = [
  {
    resource: aws('aws_instance', 'volumes', {
      instance_type: 'm5.large',
      monitoring: true,
      root_block_device: [{ volume_type: 'gp3', volume_size: 50 }],
      ebs_block_device: [{ volume_type: 'io1', volume_size: 100, iops: 1000, device_name: '/dev/sdb' }],
    }),
    parts: [
      ['Instance usage (Linux/UNIX, on-demand, m5.large)', '730', '0.096', '70.08'],
      ['EC2 detailed monitoring', '7', '0.3', '2.10'],
      ['root_block_device / Storage (general purpose SSD, gp3)', '50', '0.08', '4.00'],
      ['ebs_block_device[0] / Storage (provisioned IOPS SSD, io1)', '100', '0.125', '12.50'],
      ['ebs_block_device[0] / Provisioned IOPS', '1000', '0.065', '65.00'],
    ],
    monthly: '153.68',
    source: `${KARPENTER}; ${CONSENSUS}; ${INFRACOST}`,
  },
  {
    // Frankfurt, with the 8 GB of gp2 that a machine gets when it names no volume.
    resource: aws('aws_instance', 'frankfurt', { instance_type: 'm5.large' }, 'eu-central-1'),
    parts: [
      ['Instance usage (Linux/UNIX, on-demand, m5.large)', '730', '0.115', '83.95'],
      ['root_block_device / Storage (general purpose SSD, gp2)', '8', '0.119', '0.952'],
    ],
    monthly: '84.902',
    source: `SkyPilot catalogue of AWS; ${FOCUS}`,
  },
  {
    // 3,000 operations and 125 MB/s are included in gp3.
    resource: aws('aws_ebs_volume', 'gp3', { type: 'gp3', size: 500, iops: 4000, throughput: 200 }),
    parts: [
      ['Storage (general purpose SSD, gp3)', '500', '0.08', '40.00'],
      ['Provisioned IOPS', '1000', '0.005', '5.00'],
      ['Provisioned throughput', '75', '0.04', '3.00'],
    ],
    monthly: '48.00',
    source: FOCUS,
  },
  {
    resource: aws('aws_nat_gateway', 'main', {}),
    usage: { monthly_data_processed_gb: 1000 },
    parts: [
      ['NAT gateway', '730', '0.045', '32.85'],
      ['Data processed', '1000', '0.045', '45.00'],
    ],
    monthly: '77.85',
    source: INFRACOST,
  },
  {
    resource: aws('aws_lb', 'front', { load_balancer_type: 'application' }),
    parts: [['Application load balancer', '730', '0.0225', '16.425']],
    monthly: '16.425',
    source: FOCUS,
  },
  {
    resource: aws('aws_db_instance', 'mysql', {
      engine: 'mysql',
      engine_version: '8.4',
      instance_class: 'db.m5.large',
      allocated_storage: 100,
      storage_type: 'gp2',
      multi_az: false,
    }),
    parts: [
      ['Database instance (on-demand, Single-AZ, db.m5.large)', '730', '0.171', '124.83'],
      ['Storage (general purpose SSD, gp2)', '100', '0.115', '11.50'],
    ],
    monthly: '136.33',
    source: INFRACOST,
  },
  {
    // Ten million calls of 300 ms: 3,000,000 s with half a GB, and half a GB of storage above what is included.
    resource: aws('aws_lambda_function', 'calls', {
      memory_size: 512,
      ephemeral_storage: [{ size: 1024 }],
    }),
    usage: { monthly_requests: 10_000_000, request_duration_ms: 300 },
    parts: [
      ['Requests', '10', '0.2', '2.00'],
      ['Duration (first 6B)', '1500000', '0.0000166667', '25.00005'],
      ['Ephemeral storage', '1500000', '0.0000000309', '0.04635'],
    ],
    monthly: '27.0464',
    source: INFRACOST,
  },
  {
    resource: aws('aws_eks_cluster', 'k8s', { version: '1.34' }),
    parts: [['EKS cluster', '730', '0.10', '73.00']],
    monthly: '73.00',
    source: CONSENSUS,
  },
  {
    resource: aws('aws_kms_key', 'key', {}),
    parts: [['Customer master key', '1', '1.00', '1.00']],
    monthly: '1.00',
    source: CONSENSUS,
  },
  {
    resource: aws('aws_secretsmanager_secret', 'secret', {}),
    parts: [['Secret', '1', '0.40', '0.40']],
    monthly: '0.40',
    source: CONSENSUS,
  },
  {
    resource: {
      type: 'azurerm_linux_virtual_machine',
      name: 'vm',
      attributes: {
        id: 'vm',
        location: 'East US',
        size: 'Standard_D2_v2',
        os_disk: [{ storage_account_type: 'Standard_LRS', disk_size_gb: 32 }],
      },
    },
    parts: [
      ['Instance usage (Linux, pay as you go, Standard_D2_v2)', '730', '0.146', '106.58'],
      ['os_disk / Storage (S4, LRS)', '1', '1.536', '1.536'],
    ],
    monthly: '108.116',
    source: INFRACOST,
  },
  {
    resource: {
      type: 'azurerm_managed_disk',
      name: 'p4',
      attributes: { id: 'p4', location: 'eastus', storage_account_type: 'Premium_LRS', disk_size_gb: 32 },
    },
    parts: [['Storage (P4, LRS)', '1', '5.27', '5.27']],
    monthly: '5.27',
    source: FOCUS,
  },
  {
    // A premium cache is billed as two nodes.
    resource: {
      type: 'azurerm_redis_cache',
      name: 'p1',
      attributes: { id: 'p1', location: 'eastus', sku_name: 'Premium', family: 'P', capacity: 1 },
    },
    parts: [['Cache usage (Premium_P1)', '2', '202.21', '404.42']],
    monthly: '404.42',
    source: INFRACOST,
  },
  {
    resource: {
      type: 'azurerm_public_ip',
      name: 'ip',
      attributes: { id: 'ip', location: 'eastus', sku: 'Standard', allocation_method: 'Static' },
    },
    parts: [['IP address (static, regional)', '730', '0.005', '3.65']],
    monthly: '3.65',
    source: INFRACOST,
  },
  {
    // E2 has no discount for sustained use.
    resource: {
      type: 'google_compute_instance',
      name: 'e2',
      attributes: {
        id: 'e2',
        machine_type: 'e2-medium',
        zone: 'us-central1-a',
        boot_disk: [{ initialize_params: [{ size: 10, type: 'pd-standard' }] }],
      },
    },
    parts: [
      ['Instance usage (Linux/UNIX, on-demand, e2-medium)', '730', '0.0335059', '24.459307'],
      ['Standard provisioned storage (pd-standard)', '10', '0.04', '0.40'],
    ],
    monthly: '24.859307',
    source: INFRACOST,
  },
  {
    // N1 the whole month costs 70 % of 0.759993: quarters at 100, 80, 60 and 40 %.
    resource: {
      type: 'google_compute_instance',
      name: 'n1',
      attributes: {
        id: 'n1',
        machine_type: 'n1-standard-16',
        zone: 'us-central1-a',
        boot_disk: [{ initialize_params: [{ size: 100, type: 'pd-ssd' }] }],
      },
    },
    parts: [
      ['Instance usage (Linux/UNIX, on-demand, n1-standard-16)', '730', '0.5319951', '388.356423'],
      ['SSD provisioned storage (pd-ssd)', '100', '0.17', '17.00'],
    ],
    monthly: '405.356423',
    source: `${INFRACOST}; https://cloud.google.com/compute/docs/sustained-use-discounts`,
  },
  {
    resource: {
      type: 'google_compute_disk',
      name: 'ssd',
      attributes: { id: 'ssd', type: 'pd-ssd', size: 200, zone: 'us-central1-b' },
    },
    parts: [['SSD provisioned storage (pd-ssd)', '200', '0.17', '34.00']],
    monthly: '34.00',
    source: INFRACOST,
  },
  {
    resource: {
      type: 'google_redis_instance',
      name: 'cache',
      attributes: { id: 'cache', tier: 'BASIC', memory_size_gb: 1, region: 'us-central1' },
    },
    parts: [['Redis instance (basic, M1)', '1', '35.77', '35.77']],
    monthly: '35.77',
    source: INFRACOST,
  },
];

/** The sum of all of them a month. */
export const HAND_PRICED_TOTAL = '1640.07513';
