import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import { BLOCK_DEVICE, describeInstance, describeVolume, type InstancePlan } from './ec2-instance.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/aws/{autoscaling_group,launch_template,
// launch_configuration,eks_node_group,ec2_host}.go (Apache-2.0). Templates cost nothing of their own: the group that
// uses one is priced with it, and is priced again when it changes.

function scalingGroup(r: ResourceDraft): void {
  const { attributes } = r;
  const count =
    r.usage('instances') ??
    attributes.computed.number('desired_capacity') ??
    attributes.number('min_size') ??
    Decimal.ONE;
  const configuration = attributes.computed.text('launch_configuration');
  if (configuration !== undefined && configuration !== '') {
    const found = r.findLinked('aws_launch_configuration', configuration);
    const reader = r.linked('aws_launch_configuration', configuration);
    if (reader === undefined) r.log.note('launch_configuration');
    r.part(
      () => r.times(count, () => launched(r, { reader, key: 'launch_configuration' })),
      `${found?.address ?? 'aws_launch_configuration'} / `,
    );
    return;
  }
  const mixed = attributes.computed.first('mixed_instances_policy');
  const template =
    mixed?.block('launch_template').first('launch_template_specification') ??
    attributes.computed.first('launch_template');
  const { reader, name } = launchTemplate(r, template);
  r.part(() => {
    if (mixed) mixedInstances(r, { mixed, reader, count });
    else r.times(count, () => launched(r, { reader, key: 'launch_template' }));
  }, `${name} / `);
}

interface Template {
  reader?: AttributeReader;
  name: string;
}

/** The template by its id or name; without one nothing tells what the group launches. */
function launchTemplate(r: ResourceDraft, reference: AttributeReader | undefined): Template {
  const type = 'aws_launch_template';
  for (const attribute of ['id', 'launch_template_id', 'name', 'launch_template_name']) {
    const id = reference?.computed.text(attribute);
    const reader = r.linked(type, id);
    if (reader) return { reader, name: r.findLinked(type, id)?.address ?? type };
  }
  r.log.note('launch_template');
  return { name: type };
}

interface Launched {
  reader: AttributeReader | undefined;
  key: 'launch_template' | 'launch_configuration';
  instanceType?: string;
  spot?: boolean;
}

function launched(r: ResourceDraft, { reader, key, instanceType, spot }: Launched): void {
  if (reader === undefined) {
    r.hours('Instance usage');
    return;
  }
  const template = key === 'launch_template';
  r.part(() => describeInstance(r, planOf(reader, { template, instanceType, spot })));
  if (template) templateVolumes(r, reader);
  else configurationVolumes(r, reader);
}

function planOf(
  reader: AttributeReader,
  how: { template: boolean; instanceType?: string; spot?: boolean },
): InstancePlan {
  const { computed } = reader;
  const credits = computed.block('credit_specification').text('cpu_credits');
  const tenancy = how.template
    ? reader.block('placement').computed.text('tenancy')
    : computed.text('placement_tenancy');
  const spot = how.template
    ? reader.first('instance_market_options')?.text('market_type') === 'spot'
    : (computed.text('spot_price') ?? '') !== '';
  return {
    instanceType: how.instanceType ?? reader.required('instance_type'),
    tenancy: tenancy === 'dedicated' ? 'dedicated' : 'shared',
    purchase: (how.spot ?? spot) ? 'spot' : 'on_demand',
    ...(credits === undefined ? {} : { cpuCredits: credits }),
    ebsOptimized: computed.flag('ebs_optimized') ?? false,
    monitoring: how.template
      ? computed.block('monitoring').isTrue('enabled')
      : (computed.flag('enable_monitoring') ?? true),
  };
}

function templateVolumes(r: ResourceDraft, reader: AttributeReader): void {
  for (const [index, mapping] of reader.blocks('block_device_mappings').entries()) {
    const volume = mapping.first('ebs');
    if (volume)
      r.part(() => describeVolume(r, volume, { names: BLOCK_DEVICE }), `block_device_mapping[${index}] / `);
  }
}

function configurationVolumes(r: ResourceDraft, reader: AttributeReader): void {
  const { computed } = reader;
  r.part(
    () => describeVolume(r, computed.block('root_block_device'), { names: BLOCK_DEVICE }),
    'root_block_device / ',
  );
  for (const [index, device] of computed.blocks('ebs_block_device').entries())
    r.part(() => describeVolume(r, device, { names: BLOCK_DEVICE }), `ebs_block_device[${index}] / `);
}

interface Mixed {
  mixed: AttributeReader;
  reader: AttributeReader | undefined;
  count: Decimal;
}

/** The first override's type stands for all; what the distribution leaves above the on-demand part runs on spot. */
function mixedInstances(r: ResourceDraft, { mixed, reader, count }: Mixed): void {
  const [override] = mixed.block('launch_template').blocks('override');
  const instanceType = override?.computed.text('instance_type') ?? reader?.text('instance_type');
  const weight = override?.computed.number('weighted_capacity');
  const total = weight && !weight.isZero() ? count.dividedBy(weight).ceiling() : count;
  const distribution = mixed.block('instances_distribution').computed;
  const base = (distribution.number('on_demand_base_capacity') ?? Decimal.ZERO).atMost(total);
  const percentage = distribution.number('on_demand_percentage_above_base_capacity') ?? Decimal.of(100);
  const onDemand = base.plus(total.minus(base).times(percentage).dividedBy(100).ceiling()).atMost(total);
  const spot = total.minus(onDemand);
  const how = {
    reader,
    key: 'launch_template' as const,
    ...(instanceType === undefined ? {} : { instanceType }),
  };
  if (reader === undefined || !onDemand.isZero())
    r.times(onDemand, () => launched(r, { ...how, spot: false }));
  if (reader !== undefined && !spot.isZero()) r.times(spot, () => launched(r, { ...how, spot: true }));
}

const NODE_DISK_GB = 20;

function nodeGroup(r: ResourceDraft): void {
  const { attributes } = r;
  const scaling = attributes.block('scaling_config');
  const count =
    r.usage('instances') ?? scaling.number('desired_size') ?? scaling.number('min_size') ?? Decimal.ONE;
  const reference = attributes.computed.first('launch_template');
  const [ownType] = attributes.computed.texts('instance_types');
  const spot = attributes.computed.text('capacity_type') === 'SPOT';
  r.times(count, () => {
    if (reference && (reference.computed.text('id') ?? reference.computed.text('name')) !== undefined) {
      const { reader, name } = launchTemplate(r, reference);
      const type = ownType ?? reader?.text('instance_type') ?? 't3.medium';
      r.part(() => launched(r, { reader, key: 'launch_template', instanceType: type, spot }), `${name} / `);
      return;
    }
    r.part(() =>
      describeInstance(r, {
        instanceType: ownType ?? 't3.medium',
        tenancy: 'shared',
        purchase: spot ? 'spot' : 'on_demand',
        ebsOptimized: false,
        monitoring: false,
      }),
    );
    r.part(() => {
      const size = attributes.computed.number('disk_size') ?? Decimal.of(NODE_DISK_GB);
      r.monthly('Storage (general purpose SSD, gp2)', 'GB', size, { key: 'ebs/gp2/storage' });
    });
  });
}

function host(r: ResourceDraft): void {
  const family =
    r.attributes.text('instance_family') ?? r.attributes.required('instance_type').split('.')[0] ?? '';
  const term = r.usageText('reserved_instance_term');
  if (term === undefined) r.hours(`EC2 Dedicated Host (on-demand, ${family})`);
  else {
    const option = r.usageText('reserved_instance_payment_option') ?? 'no_upfront';
    r.hours(`EC2 Dedicated Host (reserved, ${family})`, {
      key: `ec2_host/reserved-${term}-${option}/${family}`,
    });
  }
}

function spotRequest(r: ResourceDraft): void {
  const { attributes } = r;
  r.part(() =>
    describeInstance(r, {
      instanceType: attributes.required('instance_type'),
      tenancy: attributes.computed.text('tenancy') === 'dedicated' ? 'dedicated' : 'shared',
      purchase: 'spot',
      ebsOptimized: attributes.computed.isTrue('ebs_optimized'),
      monitoring: attributes.computed.isTrue('monitoring'),
    }),
  );
  configurationVolumes(r, attributes);
}

export const awsEc2Groups: Rules = {
  aws_autoscaling_group: scalingGroup,
  aws_eks_node_group: nodeGroup,
  aws_ec2_host: host,
  aws_spot_instance_request: spotRequest,
};
