import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import {
  describeAccelerators,
  describeDisk,
  describeMachine,
  describeScratch,
  type Machine,
} from './google-machine.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rule, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/google/compute_*.go (Apache-2.0).

const BOOT_DISK_GB = 10;
const DISK_GB = 10;

function purchaseOf(reader: AttributeReader): Machine['purchase'] {
  const scheduling = reader.computed.first('scheduling');
  const spot =
    scheduling?.isTrue('preemptible') === true || scheduling?.text('provisioning_model') === 'SPOT';
  return spot ? 'preemptible' : 'on_demand';
}

function instance(r: ResourceDraft): void {
  const { attributes } = r;
  const hours = r.usage('monthly_hrs');
  const purchase = purchaseOf(attributes);
  r.part(() =>
    describeMachine(r, {
      type: attributes.required('machine_type').split('/').at(-1) ?? '',
      purchase,
      ...(hours ? { hours } : {}),
    }),
  );
  r.part(() => bootDisk(r));
  r.part(() => {
    const scratch = attributes.blocks('scratch_disk').length;
    if (scratch > 0) describeScratch(r, scratch, purchase);
  });
  r.part(() => describeAccelerators(r, { reader: attributes, purchase, ...(hours ? { hours } : {}) }));
}

/** A boot disk that is a resource of its own is priced there. */
function bootDisk(r: ResourceDraft): void {
  const boot = r.attributes.first('boot_disk');
  const source = boot?.computed.text('source');
  if (source !== undefined && r.findLinked('google_compute_disk', source) !== undefined) return;
  const parameters = boot?.computed.first('initialize_params')?.computed;
  describeDisk(
    r,
    parameters?.text('type') ?? 'pd-standard',
    parameters?.number('size') ?? Decimal.of(BOOT_DISK_GB),
  );
}

/** https://cloud.google.com/compute/docs/disks/persistent-disks (2026-07) */
const DEFAULT_SIZES_GB: Record<string, number> = {
  'pd-standard': 500,
  'pd-balanced': 100,
  'pd-ssd': 100,
  'pd-extreme': 1000,
  'hyperdisk-extreme': 1000,
};
const DEFAULT_IOPS: Record<string, number> = { 'pd-extreme': 100_000, 'hyperdisk-extreme': 350_000 };

function disk(r: ResourceDraft): void {
  const { attributes } = r;
  const type = (attributes.computed.text('type') ?? 'pd-standard').split('/').at(-1) ?? '';
  const size =
    attributes.computed.number('size') ?? imageSize(r) ?? Decimal.of(DEFAULT_SIZES_GB[type] ?? DISK_GB);
  r.part(() => describeDisk(r, type, size));
  const byDefault = DEFAULT_IOPS[type];
  if (byDefault === undefined) return;
  r.part(() => {
    const iops = attributes.computed.number('provisioned_iops') ?? Decimal.of(byDefault);
    r.monthly('Provisioned IOPS', 'IOPS', iops, { key: `compute/disk-iops/${type}` });
  });
}

function imageSize(r: ResourceDraft): Decimal | undefined {
  const image = r.linked('google_compute_image', r.attributes.text('image'));
  const snapshot = r.linked('google_compute_snapshot', r.attributes.text('snapshot'));
  return image?.computed.number('disk_size_gb') ?? snapshot?.computed.number('disk_size_gb');
}

/** What an image or a snapshot stores: the usage, else what it says, else its disk. */
function stored(r: ResourceDraft): void {
  const { computed } = r.attributes;
  const source =
    r.linked('google_compute_disk', computed.text('source_disk')) ??
    r.linked('google_compute_image', computed.text('source_image'));
  const size =
    r.usage('storage_gb') ??
    computed.number('disk_size_gb') ??
    source?.computed.number('size') ??
    source?.computed.number('disk_size_gb');
  r.perUse('Storage', 'GB', size);
}

function group(locations: string): Rule {
  return (r) => {
    const { attributes } = r;
    const template = r.linked(
      'google_compute_instance_template',
      attributes.first('version')?.computed.text('instance_template'),
    );
    const count = attributes.computed.number('target_size') ?? Decimal.ONE;
    if (template === undefined) r.log.note('version.instance_template');
    r.times(count, () => {
      if (template === undefined) {
        r.hours('Instance usage');
        return;
      }
      const purchase = purchaseOf(template);
      r.part(() => describeMachine(r, { type: template.required('machine_type'), purchase }));
      for (const [index, each] of template.blocks('disk').entries())
        r.part(
          () => templateDisk(r, each, purchase),
          each.computed.text('type') === 'SCRATCH' ? '' : `disk[${index}] / `,
        );
      r.part(() => describeAccelerators(r, { reader: template, purchase }));
    });
    if (locations === '') return;
    r.attributes.computed.texts(locations);
  };
}

function templateDisk(r: ResourceDraft, each: AttributeReader, purchase: Machine['purchase']): void {
  if (each.computed.text('type') === 'SCRATCH') return describeScratch(r, 1, purchase);
  return describeDisk(
    r,
    each.computed.text('disk_type') ?? 'pd-standard',
    each.computed.number('disk_size_gb') ?? Decimal.of(BOOT_DISK_GB),
  );
}

function address(r: ResourceDraft): void {
  const { computed } = r.attributes;
  if (computed.text('address_type') === 'INTERNAL') return;
  const users = computed.texts('users').length > 0;
  r.hours(users ? 'IP address (standard VM)' : 'IP address (unused)', {
    key: `compute_address/${users ? 'in-use' : 'unused'}`,
  });
}

const proxy = onlyUse(
  [
    'Proxy instance',
    'hours',
    'monthly_proxy_instances',
    1 / 730,
    { key: 'compute_target_proxy/proxy-instance' },
  ],
  ['Data processed', 'GB', 'monthly_data_processed_gb', 1, { key: 'compute_target_proxy/data-processed' }],
);

const forwarding: Rule = (r) => {
  r.hours('Forwarding rules', { key: 'compute_forwarding_rule/forwarding-rules' });
  r.perUse('Ingress data', 'GB', r.usage('monthly_ingress_data_gb'), {
    key: 'compute_forwarding_rule/ingress-data',
  });
};

const EGRESS: readonly [usage: string, name: string][] = [
  ['same_region', 'within the same region'],
  ['us_or_canada', 'within the US or Canada'],
  ['europe', 'within Europe'],
  ['asia', 'within Asia'],
  ['south_america', 'within South America'],
  ['oceania', 'to/from Indonesia and Oceania'],
  ['worldwide', 'between continents (excludes Oceania)'],
];

function egress(word: string): Rule {
  return (r) => {
    const usage = r.usageIn('monthly_egress_data_transfer_gb');
    r.group('Network egress', () => {
      for (const [key, name] of EGRESS) r.perUse(`${word} ${name}`, 'GB', usage(key));
    });
  };
}

const EXTERNAL_EGRESS: readonly [usage: string, name: string][] = [
  ['worldwide', 'worldwide excluding China, Australia but including Hong Kong'],
  ['china', 'China excluding Hong Kong'],
  ['australia', 'Australia'],
];

function externalGateway(r: ResourceDraft): void {
  const usage = r.usageIn('monthly_egress_data_transfer_gb');
  r.group('Network egress', () => {
    for (const [key, name] of EXTERNAL_EGRESS) r.perUse(`IPSec traffic to ${name}`, 'GB', usage(key));
  });
}

/** Up to 32 machines are billed each, more as one. */
function nat(r: ResourceDraft): void {
  const machines = r.usage('assigned_vms');
  const many = machines?.isMore(32) === true;
  r.perUse(
    `Assigned VMs (${many ? 'over 32' : 'first 32'})`,
    'VM-hours',
    machines && (many ? Decimal.ONE : machines).times(730),
    {
      key: `compute_router_nat/assigned-vms-${many ? 'over-32' : 'first-32'}`,
    },
  );
  r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'));
}

const PROXIES = ['grpc', 'http', 'https', 'ssl', 'tcp'].map((kind) => `google_compute_target_${kind}_proxy`);

export const googleCompute: Rules = {
  google_compute_instance: instance,
  google_compute_disk: disk,
  google_compute_image: stored,
  google_compute_machine_image: stored,
  google_compute_snapshot: stored,
  google_compute_instance_group_manager: group(''),
  google_compute_region_instance_group_manager: group('distribution_policy_zones'),
  google_compute_address: address,
  google_compute_global_address: address,
  ...Object.fromEntries(
    [...PROXIES, 'google_compute_region_target_http_proxy', 'google_compute_region_target_https_proxy'].map(
      (type) => [type, proxy],
    ),
  ),
  google_compute_forwarding_rule: forwarding,
  google_compute_global_forwarding_rule: forwarding,
  google_compute_vpn_gateway: egress('IPSec traffic'),
  google_compute_ha_vpn_gateway: ['compute_vpn_gateway', egress('IPSec traffic')],
  google_compute_external_vpn_gateway: externalGateway,
  google_compute_vpn_tunnel: (r) => r.hours('VPN Tunnel'),
  google_compute_router_nat: nat,
  google_service_networking_connection: egress('Traffic'),
  google_dns_managed_zone: (r) => r.monthly('Managed zone', 'months', 1),
  google_dns_record_set: (r) => describeUse(r, [['Queries', '1M queries', 'monthly_queries', 1_000_000]]),
};
