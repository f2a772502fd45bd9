import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft } from '../resource-draft.js';

// Machines as instances, groups and node pools share them. Names: infracost/infracost@95ba4f49 internal/resources/google/
// {compute_util,compute_instance}.go (Apache-2.0). Discounts: https://cloud.google.com/compute/docs/sustained-use-discounts (2026-07).

/** What each further quarter of a month costs of the list price. */
const SUSTAINED: Record<string, readonly string[]> = {
  n1: ['1', '0.8', '0.6', '0.4'],
  n2: ['1', '0.8678', '0.733', '0.6'],
};
const DISCOUNTS: Record<string, keyof typeof SUSTAINED> = {
  n1: 'n1',
  f1: 'n1',
  g1: 'n1',
  m1: 'n1',
  m2: 'n1',
  c2: 'n2',
  n2: 'n2',
  n2d: 'n2',
};
const HOURS = 730;
/** N1 has this much memory for a core before memory counts as extended. */
const EXTENDED_FROM: Record<string, string> = { n1: '6.5', n2: '8', n2d: '8' };

export interface Machine {
  type: string;
  purchase: 'on_demand' | 'preemptible';
  hours?: Decimal;
  systemName?: string;
}

export function describeMachine(r: ResourceDraft, machine: Machine): void {
  const { type, purchase } = machine;
  const label = purchase === 'on_demand' ? 'on-demand' : 'preemptible';
  const hours = machine.hours ?? Decimal.of(HOURS);
  const custom = /^(?:(\w+)-)?custom-(\d+)-(\d+)(-ext)?$/.exec(type);
  if (custom) return customMachine(r, machine, custom);
  r.hours(`Instance usage (Linux/UNIX, ${label}, ${type})`, {
    key: `compute/instance/${purchase}/${type}`,
    count: hours.dividedBy(HOURS),
    ...sustained(type.split('-')[0] ?? '', purchase, hours),
  });
  return undefined;
}

function customMachine(r: ResourceDraft, { purchase, hours: given }: Machine, match: RegExpExecArray): void {
  const [, family = 'n1', cores = '0', megabytes = '0'] = match;
  const hours = given ?? Decimal.of(HOURS);
  const label = `Linux/UNIX, ${purchase === 'on_demand' ? 'on-demand' : 'preemptible'}, ${family.toUpperCase()}`;
  const memory = Decimal.of(megabytes).dividedBy(1024);
  const limit = Decimal.of(cores).times(Decimal.of(EXTENDED_FROM[family] ?? '8'));
  const plain = memory.atMost(limit);
  const share = hours.dividedBy(HOURS);
  const discount = sustained(family, purchase, hours).factor ?? Decimal.ONE;
  const describe = (name: string, part: string, amount: Decimal) =>
    r.hours(name, {
      key: `compute/${part}/${purchase}/${family}`,
      count: share,
      factor: discount.times(amount),
    });
  describe(`Custom instance CPU (${label} ${cores} vCPUs)`, 'custom-cpu', Decimal.of(cores));
  describe(`Custom Instance RAM (${label} ${plain.toString()} GB)`, 'custom-ram', plain);
  if (!memory.isMore(limit)) return;
  const extended = memory.minus(limit);
  describe(
    `Custom Instance Extended RAM (${label} ${extended.toString()} GB)`,
    'custom-extended-ram',
    extended,
  );
}

/** The part of the list price that a machine costs that runs `hours` of a month. */
export function sustained(
  family: string,
  purchase: Machine['purchase'],
  hours: Decimal,
): { factor?: Decimal } {
  const steps = SUSTAINED[DISCOUNTS[family] ?? ''];
  if (steps === undefined || purchase !== 'on_demand' || hours.isZero()) return {};
  const quarter = Decimal.of(HOURS).dividedBy(4);
  let cost = Decimal.ZERO;
  for (const [index, step] of steps.entries()) {
    const part = hours.minus(quarter.times(index)).atLeast(0).atMost(quarter);
    cost = cost.plus(part.times(Decimal.of(step)));
  }
  return { factor: cost.dividedBy(hours).rounded(6) };
}

const ACCELERATORS: Record<string, string> = {
  'nvidia-tesla-t4': 'NVIDIA Tesla T4',
  'nvidia-tesla-p4': 'NVIDIA Tesla P4',
  'nvidia-tesla-v100': 'NVIDIA Tesla V100',
  'nvidia-tesla-p100': 'NVIDIA Tesla P100',
  'nvidia-tesla-k80': 'NVIDIA Tesla K80',
  'nvidia-tesla-a100': 'NVIDIA Tesla A100',
  'nvidia-l4': 'NVIDIA L4',
};

export function describeAccelerators(
  r: ResourceDraft,
  machine: { reader: AttributeReader; purchase: Machine['purchase']; hours?: Decimal },
): void {
  for (const accelerator of machine.reader.computed.blocks('guest_accelerator')) {
    const type = accelerator.required('type').split('/').at(-1) ?? '';
    const name = ACCELERATORS[type] ?? type;
    const hours = machine.hours ?? Decimal.of(HOURS);
    const count = accelerator.computed.number('count') ?? Decimal.ONE;
    if (count.isZero()) continue;
    r.hours(`${name} (${machine.purchase === 'on_demand' ? 'on-demand' : 'preemptible'})`, {
      key: `compute/gpu/${machine.purchase}/${type}`,
      count: count.times(hours).dividedBy(HOURS),
      ...(type === 'nvidia-tesla-a100' || type === 'nvidia-l4'
        ? {}
        : sustained('n1', machine.purchase, hours)),
    });
  }
}

const DISK_NAMES: Record<string, string> = {
  'pd-standard': 'Standard provisioned storage (pd-standard)',
  'pd-balanced': 'Balanced provisioned storage (pd-balanced)',
  'pd-ssd': 'SSD provisioned storage (pd-ssd)',
  'pd-extreme': 'Extreme provisioned storage (pd-extreme)',
  'hyperdisk-extreme': 'Hyperdisk provisioned storage (hyperdisk-extreme)',
  'hyperdisk-balanced': 'Hyperdisk provisioned storage (hyperdisk-balanced)',
};

export function describeDisk(r: ResourceDraft, type: string, size: Decimal): void {
  const kind = type.split('/').at(-1) ?? type;
  r.monthly(DISK_NAMES[kind] ?? `Storage (${kind})`, 'GB', size, { key: `compute/disk/${kind}` });
}

/** A scratch disk has 375 GB. */
export const SCRATCH_GB = 375;

export function describeScratch(
  r: ResourceDraft,
  count: number | Decimal,
  purchase: Machine['purchase'],
): void {
  r.monthly('Local SSD provisioned storage', 'GB', Decimal.of(SCRATCH_GB).times(count), {
    key: `compute/local-ssd/${purchase}`,
  });
}
