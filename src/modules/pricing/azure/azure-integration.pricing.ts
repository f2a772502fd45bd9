import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rule, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/{resources,providers/terraform}/azure/{servicebus,eventhub,eventgrid,
// api_management,data_factory,iothub,hdinsight,databricks,integration_service_environment,signalr,notification_hub}*.go (Apache-2.0).

function serviceBus(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.required('sku').toLowerCase();
  if (sku === 'premium') {
    const units = attributes.computed.number('capacity') ?? Decimal.ONE;
    r.monthly('Messaging units', 'units', units.atLeast(1));
    return;
  }
  const operations = r.usage('monthly_messaging_operations', 1_000_000);
  if (sku === 'basic') {
    r.perUse('Messaging operations', '1M operations', operations, {
      key: 'servicebus_namespace/messaging-operations/basic',
    });
    return;
  }
  r.hours('Base charge');
  // The first 13 million operations come with the base charge.
  const bands: readonly [string, number, number | undefined][] = [
    ['13M-100M', 13, 100],
    ['100M-2,500M', 100, 2500],
    ['over 2,500M', 2500, undefined],
  ];
  cutBands(r, { name: 'Messaging operations', unit: '1M operations', quantity: operations, bands });
  const connections = r.usage('monthly_brokered_connections');
  cutBands(r, {
    name: 'Brokered connections',
    unit: 'connections',
    quantity: connections,
    bands: [
      ['1K-100K', 1000, 100_000],
      ['100K-500K', 100_000, 500_000],
      ['over 500K', 500_000, undefined],
    ],
  });
}

interface Banded {
  name: string;
  unit: string;
  quantity: Decimal | undefined;
  bands: readonly (readonly [label: string, from: number, to: number | undefined])[];
}

/** Bands that have names of their own; the first one shows without a quantity. */
function cutBands(r: ResourceDraft, { name, unit, quantity, bands }: Banded): void {
  for (const [index, [label, from, to]] of bands.entries()) {
    const part = quantity && (to === undefined ? quantity : quantity.atMost(to)).minus(Decimal.of(from));
    if (index > 0 && part?.isMore(0) !== true) continue;
    r.perUse(`${name} (${label})`, unit, part?.atLeast(0));
  }
}

function eventHub(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.required('sku');
  const tier = sku.charAt(0).toUpperCase() + sku.slice(1).toLowerCase();
  const dedicated = (attributes.text('dedicated_cluster_id') ?? '') !== '';
  const capacity =
    r.usage('throughput_or_capacity_units') ?? attributes.computed.number('capacity') ?? Decimal.ONE;
  if (!dedicated && (tier === 'Basic' || tier === 'Standard'))
    r.perUse(`Ingress event (${tier})`, '1M events', r.usage('monthly_ingress_events', 1_000_000));
  const name = dedicated ? 'Dedicated' : tier;
  const unit =
    name === 'Premium' ? 'processing units' : name === 'Dedicated' ? 'capacity units' : 'throughput units';
  r.monthly(`Capacity (${name})`, unit, capacity);
  if (name === 'Standard' && r.input.usage?.['capture_enabled'] === 'true')
    r.monthly('Capture', 'units', capacity);
  if (name === 'Premium' || name === 'Dedicated') {
    const retention = r.usage('retention_storage_gb');
    r.perUse('Extended retention', 'GB', retention, {
      key: `eventhub_namespace/extended-retention/${name.toLowerCase()}`,
    });
  }
}

const apiManagement: Rule = (r) => {
  const [tier = '', count = '1'] = r.attributes.required('sku_name').split('_');
  const name = tier.toLowerCase();
  if (name === 'consumption') {
    const calls = r.usage('monthly_api_calls', 1_000_000);
    r.perUse('API management (consumption)', '1M calls', calls);
    return;
  }
  r.monthly(`API management (${name})`, 'units', Decimal.parse(count) ?? Decimal.ONE);
  if (name === 'premium') {
    const gateways = r.usage('self_hosted_gateway_count');
    r.perUse('Self hosted gateway', 'gateways', gateways);
  }
};

const FACTORY_RUNS: Record<string, string> = {
  azure: 'azure',
  managed: 'azure-managed',
  self: 'self-hosted',
};

function activities(r: ResourceDraft, kind: keyof typeof FACTORY_RUNS): void {
  const key = (name: string) => ({ key: `data_factory/${FACTORY_RUNS[kind] ?? ''}/${name}` });
  describeUse(r, [['Orchestration', '1k runs', 'monthly_orchestration_runs', 1000, key('orchestration')]]);
  r.hours('Data movement activity', { ...key('data-movement') });
  r.hours('Pipeline activity', { ...key('pipeline') });
  r.hours('External pipeline activity', { ...key('external-pipeline') });
}

const COMPUTE_NAMES: Record<string, string> = {
  general: 'General Purpose',
  computeoptimized: 'Compute Optimized',
  memoryoptimized: 'Memory Optimized',
};

function azureRuntime(r: ResourceDraft): void {
  const { attributes } = r;
  const type = attributes.text('compute_type') ?? 'General';
  const cores = attributes.number('core_count') ?? Decimal.of(8);
  const name = COMPUTE_NAMES[type.toLowerCase()] ?? type;
  r.hours(`Compute (${name}, ${cores.toString()} vCores)`, {
    key: `data_factory/compute/${type.toLowerCase()}`,
    factor: cores,
  });
  activities(r, 'azure');
}

function ssisRuntime(withActivities: boolean): Rule {
  return (r) => {
    const { attributes } = r;
    const nodes = attributes.number('number_of_nodes') ?? Decimal.ONE;
    const size = attributes
      .required('node_size')
      .replace(/^Standard_/, '')
      .replaceAll('_', ' ')
      .toUpperCase()
      .replace(/ V(\d)/, ' v$1');
    const edition = attributes.text('edition') ?? 'Standard';
    const included =
      (attributes.text('license_type') ?? 'LicenseIncluded').toLowerCase() === 'licenseincluded';
    r.hours(`Compute (${size}, ${edition}${included ? ', license included' : ''})`, {
      count: nodes,
      key: `data_factory/ssis/${size.toLowerCase().replaceAll(' ', '-')}/${edition.toLowerCase()}${included ? '-license-included' : ''}`,
    });
    if (withActivities) activities(r, 'managed');
  };
}

function iotHub(r: ResourceDraft): void {
  const sku = r.attributes.block('sku');
  const name = sku.required('name').toUpperCase();
  if (name === 'F1') return;
  const count = sku.computed.number('capacity') ?? Decimal.ONE;
  r.monthly('IoT Hub', 'units', count, { key: `iothub/units/${name.toLowerCase()}` });
}

interface ClusterNodes {
  role: string;
  label: string;
  fixed?: number;
}

/** Head and zookeeper nodes come in fixed numbers. */
function cluster(nodes: readonly ClusterNodes[]): Rule {
  return (r) => {
    const roles = r.attributes.block('roles');
    for (const { role, label, fixed } of nodes) {
      const node = roles.first(role);
      if (node === undefined) continue;
      r.part(() => {
        const size = node.required('vm_size');
        const count =
          fixed === undefined
            ? (node.computed.number('target_instance_count') ?? Decimal.ONE)
            : Decimal.of(fixed);
        r.hours(`${label} (${size})`, { count, key: `hdinsight/node/${size.toLowerCase()}` });
      });
      const disks = role === 'worker_node' ? node.computed.number('number_of_disks_per_node') : undefined;
      if (!disks) continue;
      r.part(() => {
        const count = node.computed.number('target_instance_count') ?? Decimal.ONE;
        const tier = /s(_|$)/i.test(node.required('vm_size')) ? 'premium' : 'standard';
        r.monthly('Managed OS disks', 'months', disks.times(count), {
          key: `hdinsight/managed-disks/${tier}`,
        });
        r.perUse('Disk operations', '100K operations', r.usage('monthly_os_disk_operations', 100_000), {
          key: `hdinsight/disk-operations/${tier}`,
        });
      });
    }
  };
}

const HEAD: ClusterNodes = { role: 'head_node', label: 'Head node', fixed: 2 };
const WORKER: ClusterNodes = { role: 'worker_node', label: 'Worker node' };
const KEEPER: ClusterNodes = { role: 'zookeeper_node', label: 'Zookeeper node', fixed: 3 };

function databricks(r: ResourceDraft): void {
  const sku = (r.attributes.required('sku') ?? '').toLowerCase();
  if (sku === 'trial') return;
  const key = (name: string) => ({ key: `databricks_workspace/${sku}/${name}` });
  describeUse(r, [
    ['All-purpose compute DBUs', 'DBU-hours', 'monthly_all_purpose_compute_dbu_hrs', 1, key('all-purpose')],
    ['Jobs compute DBUs', 'DBU-hours', 'monthly_jobs_compute_dbu_hrs', 1, key('jobs')],
    ['Jobs light compute DBUs', 'DBU-hours', 'monthly_jobs_light_compute_dbu_hrs', 1, key('jobs-light')],
  ]);
}

function signalR(r: ResourceDraft): void {
  const sku = r.attributes.block('sku');
  const tier = (sku.required('name').split('_')[0] ?? '').toLowerCase();
  if (tier === 'free') return;
  const name = tier.charAt(0).toUpperCase() + tier.slice(1);
  const capacity = sku.computed.number('capacity') ?? Decimal.ONE;
  r.monthly(`Service usage (${name})`, 'units', capacity);
  r.perUse(`Additional messages (${name})`, '1M messages', r.usage('monthly_additional_messages', 1_000_000));
}

const eventGrid = onlyUse([
  'Operations',
  '100k operations',
  'monthly_operations',
  100_000,
  { key: 'eventgrid/operations' },
]);

/** The namespace has a fee; the first 10 million pushes come with it. */
function notificationHub(r: ResourceDraft): void {
  const sku = r.attributes.required('sku_name').toLowerCase();
  if (sku === 'free') return;
  const name = sku.charAt(0).toUpperCase() + sku.slice(1);
  r.monthly(`Namespace usage (${name})`, 'months', 1);
  const pushes = r.usage('monthly_pushes', 1_000_000);
  const bands: Banded['bands'] =
    sku === 'basic'
      ? [['over 10M', 10, undefined]]
      : [
          ['10-100M', 10, 100],
          ['over 100M', 100, undefined],
        ];
  cutBands(r, { name: 'Pushes', unit: '1M pushes', quantity: pushes, bands });
}

export const azureIntegration: Rules = {
  azurerm_servicebus_namespace: serviceBus,
  azurerm_eventhub_namespace: eventHub,
  azurerm_eventgrid_topic: eventGrid,
  azurerm_eventgrid_system_topic: eventGrid,
  azurerm_api_management: apiManagement,
  azurerm_data_factory: onlyUse(
    ['Read/Write operations', '50k entities', 'monthly_read_write_operation_entities', 50_000],
    ['Monitoring operations', '50k entities', 'monthly_monitoring_operation_entities', 50_000],
  ),
  azurerm_data_factory_integration_runtime_azure: azureRuntime,
  azurerm_data_factory_integration_runtime_azure_ssis: ssisRuntime(false),
  azurerm_data_factory_integration_runtime_managed: ssisRuntime(true),
  azurerm_data_factory_integration_runtime_self_hosted: (r) => activities(r, 'self'),
  azurerm_databricks_workspace: databricks,
  azurerm_iothub: iotHub,
  azurerm_iothub_dps: onlyUse(['Device provisioning', '1k operations', 'monthly_operations', 1000]),
  azurerm_signalr_service: signalR,
  azurerm_notification_hub_namespace: notificationHub,
  azurerm_integration_service_environment: (r) => {
    const [tier = '', scale = '0'] = r.attributes.required('sku_name').toLowerCase().split('_');
    r.hours('Base units', { key: `integration_service_environment/base-units/${tier}` });
    const units = Decimal.parse(scale) ?? Decimal.ZERO;
    if (!units.isZero()) r.hours('Scale units', { count: units });
  },
  azurerm_hdinsight_hadoop_cluster: cluster([
    HEAD,
    WORKER,
    KEEPER,
    { role: 'edge_node', label: 'Edge node' },
  ]),
  azurerm_hdinsight_hbase_cluster: cluster([HEAD, { ...WORKER, label: 'Region node' }, KEEPER]),
  azurerm_hdinsight_interactive_query_cluster: cluster([HEAD, WORKER, KEEPER]),
  azurerm_hdinsight_kafka_cluster: cluster([HEAD, WORKER, KEEPER]),
  azurerm_hdinsight_spark_cluster: cluster([HEAD, WORKER, KEEPER]),
};
