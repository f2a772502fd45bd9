import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft } from '../resource-draft.js';

/** EC2 and EBS as instances, groups and templates share them. Names and units: infracost/infracost@95ba4f49 (Apache-2.0). */

const VOLUME_NAMES: Record<string, string> = {
  gp2: 'general purpose SSD, gp2',
  gp3: 'general purpose SSD, gp3',
  io1: 'provisioned IOPS SSD, io1',
  io2: 'provisioned IOPS SSD, io2',
  st1: 'throughput optimized HDD, st1',
  sc1: 'cold HDD, sc1',
  standard: 'magnetic',
};
/** gp3 includes these: https://aws.amazon.com/ebs/pricing/ (2026-07) */
const FREE_GP3_IOPS = 3000;
const FREE_GP3_THROUGHPUT = 125;
/** CloudWatch counts an instance's detailed monitoring as seven metrics. */
const DETAILED_METRICS = 7;
const OPERATING_SYSTEMS: Record<string, string> = {
  linux: 'Linux/UNIX',
  windows: 'Windows',
  rhel: 'RHEL',
  suse: 'SUSE',
};
/** Families whose CPU credits are billed when they are unlimited: T2 alone is `standard` by default. */
const BURSTABLE = /^t[234](?:a|g)?\./;

export interface InstancePlan {
  instanceType: string;
  tenancy: string;
  purchase: 'on_demand' | 'spot';
  /** the attribute `cpu_credits` where it is set */
  cpuCredits?: string;
  ebsOptimized: boolean;
  monitoring: boolean;
}

export function describeInstance(r: ResourceDraft, plan: InstancePlan): void {
  const { instanceType, purchase } = plan;
  const system = (r.usageText('operating_system') ?? 'linux').toLowerCase();
  const term = reservedTerm(r);
  const option = term === undefined ? purchase : 'reserved';
  const label = option === 'on_demand' ? 'on-demand' : option;
  const hours = (r.usage('monthly_hrs') ?? Decimal.of(730)).dividedBy(730);
  r.hours(`Instance usage (${OPERATING_SYSTEMS[system] ?? system}, ${label}, ${instanceType})`, {
    key: `ec2/instance/${system}/${plan.tenancy}/${term ?? purchase}/${instanceType}`,
    count: hours,
  });
  // Current generations include it; the book has a price only where it costs something.
  if (plan.ebsOptimized && EBS_OPTIMIZED_COSTS.has(instanceType))
    r.hours('EBS-optimized usage', { key: `ec2/ebs-optimized/${instanceType}`, count: hours });
  if (plan.monitoring)
    r.monthly('EC2 detailed monitoring', 'metrics', DETAILED_METRICS, { key: 'cloudwatch/metrics' });
  describeCpuCredits(r, plan);
}

/** Instance types of earlier generations that bill EBS optimisation: https://aws.amazon.com/ec2/previous-generation/ (2026-07) */
const EBS_OPTIMIZED_COSTS = new Set(
  (
    'c1.xlarge c3.xlarge c3.2xlarge c3.4xlarge g2.2xlarge i2.xlarge i2.2xlarge i2.4xlarge m1.large m1.xlarge m2.2xlarge ' +
    'm2.4xlarge m3.xlarge m3.2xlarge r3.xlarge r3.2xlarge r3.4xlarge'
  ).split(' '),
);

function describeCpuCredits(r: ResourceDraft, plan: InstancePlan): void {
  if (!BURSTABLE.test(plan.instanceType)) return;
  const credits = plan.cpuCredits ?? (plan.instanceType.startsWith('t2.') ? 'standard' : 'unlimited');
  if (credits !== 'unlimited') return;
  const hours = r.usage('monthly_cpu_credit_hrs');
  const vcpus = r.usage('vcpu_count');
  const family = plan.instanceType.slice(0, plan.instanceType.indexOf('.'));
  r.perUse('CPU credits', 'vCPU-hours', hours && vcpus && hours.times(vcpus), {
    key: `ec2/cpu-credits/${family}`,
  });
}

/** `standard-1yr-no_upfront` when the usage says that a reservation covers the instance. */
function reservedTerm(r: ResourceDraft): string | undefined {
  const kind = r.usageText('reserved_instance_type');
  if (kind === undefined || kind === '') return undefined;
  const term = r.usageText('reserved_instance_term') ?? '1_year';
  return `reserved-${kind}-${term}-${r.usageText('reserved_instance_payment_option') ?? 'no_upfront'}`;
}

/** What a volume costs. */
export function describeVolume(
  r: ResourceDraft,
  volume: AttributeReader,
  defaults: { size?: number; names: VolumeAttributes; inherited?: AttributeReader },
): void {
  const { names, inherited } = defaults;
  const type = volume.computed.text(names.type) ?? inherited?.text(names.type) ?? 'gp2';
  const label = `Storage (${VOLUME_NAMES[type] ?? type})`;
  const numberOf = (name: string) => volume.computed.number(name) ?? inherited?.number(name);
  const size = numberOf(names.size) ?? Decimal.of(defaults.size ?? 8);
  r.monthly(label, 'GB', size, { key: `ebs/${type}/storage` });
  if (type === 'standard')
    r.perUse('I/O requests', '1M request', r.usage('monthly_standard_io_requests', 1_000_000), {
      key: 'ebs/standard/requests',
    });
  if (type === 'io1' || type === 'io2')
    r.monthly('Provisioned IOPS', 'IOPS', numberOf('iops') ?? Decimal.of(100), { key: `ebs/${type}/iops` });
  if (type === 'gp3') describePerformance(r, numberOf('iops'), numberOf('throughput'));
}

/** What a gp3 volume provides beyond the performance that its price includes. */
function describePerformance(
  r: ResourceDraft,
  iops: Decimal | undefined,
  throughput: Decimal | undefined,
): void {
  if (iops?.isMore(FREE_GP3_IOPS) === true)
    r.monthly('Provisioned IOPS', 'IOPS', iops.minus(Decimal.of(FREE_GP3_IOPS)), { key: 'ebs/gp3/iops' });
  if (throughput?.isMore(FREE_GP3_THROUGHPUT) === true)
    r.monthly('Provisioned throughput', 'Mbps', throughput.minus(Decimal.of(FREE_GP3_THROUGHPUT)), {
      key: 'ebs/gp3/throughput',
    });
}

export interface VolumeAttributes {
  type: string;
  size: string;
}

export const BLOCK_DEVICE: VolumeAttributes = { type: 'volume_type', size: 'volume_size' };
export const VOLUME: VolumeAttributes = { type: 'type', size: 'size' };
