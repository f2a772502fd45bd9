import type { AttributeReader } from '../attribute-reader.js';
import { describeDisk, diskPlan, type DiskPlan } from './azure-disk.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/azure/*virtual_machine*.go and managed_disk.go (Apache-2.0).

type System = 'linux' | 'windows';

export function describeMachine(
  r: ResourceDraft,
  machine: { size: string; system: System; hybrid?: boolean; hours?: Decimal },
): void {
  const hybrid = machine.system === 'windows' && machine.hybrid === true;
  const system = machine.system === 'windows' ? 'Windows' : 'Linux';
  r.hours(`Instance usage (${system}, ${hybrid ? 'hybrid benefit' : 'pay as you go'}, ${machine.size})`, {
    key: `vm/${machine.system}/${hybrid ? 'hybrid_benefit' : 'pay_as_you_go'}/${machine.size.toLowerCase()}`,
    count: (machine.hours ?? r.usage('monthly_hrs') ?? Decimal.of(730)).dividedBy(730),
  });
}

function machine(system: System): (r: ResourceDraft) => void {
  return (r) => {
    const { attributes } = r;
    r.part(() =>
      describeMachine(r, { size: attributes.required('size'), system, hybrid: isHybrid(attributes) }),
    );
    ultraReservation(r);
    r.part(() => describeDisk(r, osDisk(r, attributes.first('os_disk'), 'os_disk')), 'os_disk / ');
  };
}

function isHybrid(attributes: AttributeReader): boolean {
  return ['windows_client', 'windows_server'].includes((attributes.text('license_type') ?? '').toLowerCase());
}

function osDisk(r: ResourceDraft, disk: AttributeReader | undefined, usage: string): DiskPlan {
  const operations = r.usageIn(usage)('monthly_disk_operations') ?? r.usage('monthly_disk_operations');
  return { ...diskPlan(disk, { type: 'storage_account_type' }), ...(operations ? { operations } : {}) };
}

function ultraReservation(r: ResourceDraft): void {
  r.part(() => {
    if (r.attributes.block('additional_capabilities').isTrue('ultra_ssd_enabled'))
      r.perUse('Ultra disk reservation (if unattached)', 'vCPU', undefined, {
        key: 'managed_disk/ultra/reservation',
      });
  });
}

/** The machine type that Azure retires: disks are blocks, the system is a guess of the image. */
function classicMachine(r: ResourceDraft): void {
  const { attributes } = r;
  r.part(() => {
    const size = attributes.required('vm_size');
    const disk = attributes.first('storage_os_disk');
    const system = classicSystem(attributes, disk, 'storage_image_reference');
    describeMachine(r, { size, system, hybrid: isHybrid(attributes) });
  });
  ultraReservation(r);
  classicDisks(r, { os: 'storage_os_disk', data: 'storage_data_disk' });
}

function classicSystem(
  attributes: AttributeReader,
  disk: AttributeReader | undefined,
  image: string,
): System {
  const named = disk?.computed.text('os_type')?.toLowerCase();
  if (named === 'windows' || named === 'linux') return named;
  if (attributes.has('os_profile_windows_config')) return 'windows';
  return /windows/i.test(attributes.first(image)?.computed.text('offer') ?? '') ? 'windows' : 'linux';
}

function classicDisks(r: ResourceDraft, names: { os: string; data: string }): void {
  const { attributes } = r;
  const group = names.os.includes('profile')
    ? ['storage_os_disk', 'storage_data_disk']
    : [names.os, names.data];
  r.part(() => {
    const operations = r.usageIn(names.os)('monthly_disk_operations');
    const plan = diskPlan(attributes.first(names.os), { type: 'managed_disk_type' });
    describeDisk(r, { ...plan, ...(operations ? { operations } : {}) });
  }, `${group[0]} / `);
  for (const [index, disk] of attributes.blocks(names.data).entries()) {
    const id = disk.computed.text('managed_disk_id');
    // A disk that is a resource of its own is priced there.
    if (id !== undefined && r.findLinked('azurerm_managed_disk', id) !== undefined) continue;
    r.part(() => {
      const operations = r.usageIn(names.data)('monthly_disk_operations');
      describeDisk(r, {
        ...diskPlan(disk, { type: 'managed_disk_type' }),
        ...(operations ? { operations } : {}),
      });
    }, `${group[1]}[${index}] / `);
  }
}

function scaleSet(system: System): (r: ResourceDraft) => void {
  return (r) => {
    const { attributes } = r;
    const count = r.usage('instances') ?? attributes.computed.number('instances') ?? Decimal.ONE;
    r.times(count, () => {
      r.part(() =>
        describeMachine(r, { size: attributes.required('sku'), system, hybrid: isHybrid(attributes) }),
      );
      ultraReservation(r);
      r.part(() => describeDisk(r, osDisk(r, attributes.first('os_disk'), 'os_disk')), 'os_disk / ');
    });
  };
}

function classicScaleSet(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.block('sku');
  const count = r.usage('instances') ?? sku.computed.number('capacity') ?? Decimal.ONE;
  r.times(count, () => {
    r.part(() => {
      const disk = attributes.first('storage_profile_os_disk');
      const system = classicSystem(attributes, disk, 'storage_profile_image_reference');
      describeMachine(r, { size: sku.required('name'), system, hybrid: isHybrid(attributes) });
    });
    classicDisks(r, { os: 'storage_profile_os_disk', data: 'storage_profile_data_disk' });
  });
}

function managedDisk(r: ResourceDraft): void {
  const operations = r.usage('monthly_disk_operations');
  const plan = diskPlan(r.attributes, { type: 'storage_account_type' });
  describeDisk(r, { ...plan, ...(operations ? { operations } : {}) });
}

/** A snapshot holds at most its disk. */
function snapshot(r: ResourceDraft): void {
  const { computed } = r.attributes;
  const source =
    r.linked('azurerm_managed_disk', computed.text('source_uri')) ??
    r.linked('azurerm_managed_disk', computed.text('source_resource_id'));
  const size = computed.number('disk_size_gb') ?? source?.computed.number('disk_size_gb');
  if (size === undefined) r.attributes.required('disk_size_gb');
  r.monthly('Storage', 'GB', size ?? Decimal.ZERO);
}

function image(r: ResourceDraft): void {
  const { attributes } = r;
  const machine = imageSource(r);
  const disks = [
    ...attributes.blocks('os_disk'),
    ...attributes.blocks('data_disk'),
    ...(machine
      ? [
          ...machine.blocks('storage_os_disk'),
          ...machine.blocks('storage_data_disk'),
          ...machine.blocks('os_disk'),
        ]
      : []),
  ];
  const sizes = disks.map(
    (disk) =>
      disk.computed.number('size_gb') ??
      disk.computed.number('disk_size_gb') ??
      r
        .linked('azurerm_managed_disk', disk.computed.text('managed_disk_id'))
        ?.computed.number('disk_size_gb'),
  );
  const total = sizes.reduce<Decimal>((sum, size) => sum.plus(size ?? Decimal.ZERO), Decimal.ZERO);
  r.perUse('Storage', 'GB', r.usage('storage_gb') ?? (total.isZero() ? undefined : total));
}

function imageSource(r: ResourceDraft): AttributeReader | undefined {
  const id = r.attributes.text('source_virtual_machine_id');
  for (const type of [
    'azurerm_virtual_machine',
    'azurerm_linux_virtual_machine',
    'azurerm_windows_virtual_machine',
  ]) {
    const found = r.linked(type, id);
    if (found) return found;
  }
  return undefined;
}

export const azureCompute: Rules = {
  azurerm_linux_virtual_machine: machine('linux'),
  azurerm_windows_virtual_machine: machine('windows'),
  azurerm_virtual_machine: classicMachine,
  azurerm_linux_virtual_machine_scale_set: scaleSet('linux'),
  azurerm_windows_virtual_machine_scale_set: scaleSet('windows'),
  azurerm_virtual_machine_scale_set: classicScaleSet,
  azurerm_managed_disk: managedDisk,
  azurerm_snapshot: snapshot,
  azurerm_image: image,
};
