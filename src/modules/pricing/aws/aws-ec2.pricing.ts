import type { AttributeReader } from '../attribute-reader.js';
import { BLOCK_DEVICE, describeInstance, describeVolume, type InstancePlan, VOLUME } from './ec2-instance.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/aws/{instance,ebs_volume,eip}.go (Apache-2.0);
// root volume of 8 GB gp2: Terraform AWS provider documentation of aws_instance.

function instance(r: ResourceDraft): void {
  const { attributes } = r;
  const template = attributes.first('launch_template');
  const base =
    template &&
    (r.linked('aws_launch_template', template.text('id')) ??
      r.linked('aws_launch_template', template.text('name')));
  const tenancy = attributes.computed.text('tenancy') ?? base?.block('placement').text('tenancy');
  if (tenancy === 'host') {
    // A dedicated host is billed as aws_ec2_host; without its id nobody knows what the instance shares.
    if (attributes.computed.text('host_id') === undefined) r.attributes.required('host_id');
  } else r.part(() => describeInstance(r, planOf(attributes, base, tenancy)));
  r.part(() => rootVolume(r, base), 'root_block_device / ');
  inlineVolumes(r, base);
}

function planOf(
  own: AttributeReader,
  base: AttributeReader | undefined,
  tenancy: string | undefined,
): InstancePlan {
  const { computed } = own;
  const credits = creditsOf(computed) ?? creditsOf(base);
  return {
    instanceType: own.text('instance_type') ?? base?.text('instance_type') ?? own.required('instance_type'),
    tenancy: tenancy === 'dedicated' ? 'dedicated' : 'shared',
    purchase: isSpot(own) || isSpot(base) ? 'spot' : 'on_demand',
    ...(credits === undefined ? {} : { cpuCredits: credits }),
    ebsOptimized: computed.flag('ebs_optimized') ?? base?.isTrue('ebs_optimized') ?? false,
    monitoring: computed.flag('monitoring') ?? base?.block('monitoring').isTrue('enabled') ?? false,
  };
}

function creditsOf(attributes: AttributeReader | undefined): string | undefined {
  return attributes?.block('credit_specification').text('cpu_credits');
}

function isSpot(attributes: AttributeReader | undefined): boolean {
  return attributes?.first('instance_market_options')?.text('market_type') === 'spot';
}

function rootVolume(r: ResourceDraft, base: AttributeReader | undefined): void {
  const root = r.attributes.computed.first('root_block_device') ?? rootMapping(base);
  describeVolume(r, root ?? r.attributes.computed.block('root_block_device'), { names: BLOCK_DEVICE });
}

const ROOT_DEVICES = new Set(['/dev/sda1', '/dev/xvda']);

function rootMapping(base: AttributeReader | undefined): AttributeReader | undefined {
  return base
    ?.blocks('block_device_mappings')
    .find((mapping) => ROOT_DEVICES.has(mapping.text('device_name') ?? ''))
    ?.first('ebs');
}

/** A volume that is a resource of its own and attached to the instance is listed here too: it is priced there. */
function inlineVolumes(r: ResourceDraft, base: AttributeReader | undefined): void {
  const own = r.attributes.computed.blocks('ebs_block_device');
  const mapped = (base?.blocks('block_device_mappings') ?? []).filter(
    (mapping) => !ROOT_DEVICES.has(mapping.text('device_name') ?? ''),
  );
  const nameOf = (device: AttributeReader) => device.computed.text('device_name');
  const added = mapped.filter((mapping) => !own.some((device) => nameOf(device) === nameOf(mapping)));
  let index = 0;
  for (const device of [...own, ...added.map((mapping) => mapping.block('ebs'))]) {
    const id = device.computed.text('volume_id');
    if (id !== undefined && r.findLinked('aws_ebs_volume', id) !== undefined) continue;
    const inherited = mapped.find((mapping) => nameOf(mapping) === nameOf(device))?.first('ebs');
    r.part(
      () => describeVolume(r, device, { names: BLOCK_DEVICE, ...(inherited ? { inherited } : {}) }),
      `ebs_block_device[${index}] / `,
    );
    index++;
  }
}

/** Since February 2024 a public IPv4 address costs the same in use: https://aws.amazon.com/vpc/pricing/. */
function eip(r: ResourceDraft): void {
  const { computed } = r.attributes;
  if ((computed.text('customer_owned_ipv4_pool') ?? '') !== '') return;
  const used = ['instance', 'network_interface', 'association_id'].some(
    (name) => (computed.text(name) ?? '') !== '',
  );
  r.hours(used ? 'IP address (in use)' : 'IP address (if unused)', { key: 'vpc/public-ipv4' });
}

export const awsEc2: Rules = {
  aws_instance: instance,
  aws_ebs_volume: (r) => describeVolume(r, r.attributes, { names: VOLUME }),
  aws_eip: eip,
  aws_nat_gateway: (r) => {
    r.hours('NAT gateway');
    r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'));
  },
};
