import type { AttributeReader } from '../attribute-reader.js';
import { describeMachine } from './azure-compute.pricing.js';
import { describeDisk } from './azure-disk.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/azure/{kubernetes_*,container_registry}.go (Apache-2.0).

const NODE_DISK_GB = 128;

function nodePool(
  r: ResourceDraft,
  pool: AttributeReader,
  usage: (key: string) => Decimal | undefined,
): void {
  const count =
    usage('nodes') ?? pool.computed.number('node_count') ?? pool.computed.number('min_count') ?? Decimal.ONE;
  r.times(count, () => {
    r.part(() => {
      const kind = `${pool.computed.text('os_type') ?? ''}${pool.computed.text('os_sku') ?? ''}`;
      const hours = usage('monthly_hrs');
      describeMachine(r, {
        size: pool.required('vm_size'),
        system: /windows/i.test(kind) ? 'windows' : 'linux',
        ...(hours ? { hours } : {}),
      });
    });
    r.part(() => {
      if ((pool.computed.text('os_disk_type') ?? 'Managed').toLowerCase() === 'ephemeral') return;
      const given = pool.computed.number('os_disk_size_gb');
      const size = given === undefined || given.isZero() ? Decimal.of(NODE_DISK_GB) : given;
      describeDisk(r, { type: diskTypeOf(pool.computed.text('vm_size') ?? ''), size });
    }, 'os_disk / ');
  });
}

/** Sizes with an `s` take premium disks: https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions (2026-07). */
function diskTypeOf(size: string): string {
  const family = size.split('_')[1] ?? '';
  return /\d[a-z]*s/i.test(family) || /^(DS|GS|FS)\d/i.test(family) ? 'Premium_LRS' : 'Standard_LRS';
}

function cluster(r: ResourceDraft): void {
  const { attributes } = r;
  r.part(() => {
    const tier = (attributes.computed.text('sku_tier') ?? 'Free').toLowerCase();
    if (tier === 'paid' || tier === 'standard') r.hours('Uptime SLA');
    if (tier === 'premium') r.hours('Uptime SLA', { key: 'kubernetes_cluster/uptime-sla-premium' });
  });
  const pool = attributes.first('default_node_pool');
  if (pool) r.part(() => nodePool(r, pool, r.usageIn('default_node_pool')), 'default_node_pool / ');
  r.part(() => {
    const sku = attributes.block('network_profile').computed.text('load_balancer_sku') ?? 'standard';
    if (sku.toLowerCase() !== 'standard') return;
    r.perUse('Data processed', 'GB', r.usageIn('load_balancer')('monthly_data_processed_gb'), {
      key: 'lb/data-processed-standard',
    });
  }, 'Load Balancer / ');
  r.part(() => {
    const routed =
      attributes.computed.isTrue('http_application_routing_enabled') ||
      attributes.block('addon_profile').block('http_application_routing').isTrue('enabled');
    if (routed) r.monthly('Hosted zone', 'months', 1, { key: 'dns_zone/hosted-zone' });
  }, 'DNS / ');
}

const DAYS_PER_MONTH = 30;
const REGISTRY_STORAGE_GB: Record<string, number> = { basic: 10, standard: 100, premium: 500 };

function registry(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.text('sku') ?? 'Classic';
  const tier = sku.charAt(0).toUpperCase() + sku.slice(1).toLowerCase();
  const included = REGISTRY_STORAGE_GB[sku.toLowerCase()];
  r.part(() => {
    const copies =
      attributes.blocks('georeplications').length ||
      attributes.computed.texts('georeplication_locations').length;
    if (copies > 0)
      r.monthly(
        `Geo replication (${copies} location${copies === 1 ? '' : 's'})`,
        'days',
        DAYS_PER_MONTH * copies,
        {
          key: 'container_registry/geo-replication',
        },
      );
  });
  r.monthly(`Registry usage (${tier})`, 'days', DAYS_PER_MONTH);
  const storage = r
    .usage('storage_gb')
    ?.minus(Decimal.of(included ?? 0))
    .atLeast(0);
  if (included !== undefined && storage?.isZero() !== true)
    r.perUse(`Storage (over ${included}GB)`, 'GB', storage, { key: 'container_registry/storage' });
  r.perUse('Build vCPU', 'seconds', r.usage('monthly_build_vcpu_hrs')?.times(3600));
}

export const azureContainers: Rules = {
  azurerm_kubernetes_cluster: cluster,
  azurerm_kubernetes_cluster_node_pool: (r) => nodePool(r, r.attributes, (key) => r.usage(key)),
  azurerm_container_registry: registry,
};
