import { type IdAttributes, idText } from './cloud-id.js';

/** Blocks that describe disks of a machine, and the attribute in them that names the disk. */
interface DiskBlocks {
  readonly blocks: readonly string[];
  readonly attribute: string;
}

const AWS_DISKS: DiskBlocks = { blocks: ['root_block_device', 'ebs_block_device'], attribute: 'volume_id' };
const DISKS: Readonly<Record<string, DiskBlocks>> = {
  aws_instance: AWS_DISKS,
  aws_spot_instance_request: AWS_DISKS,
  azurerm_virtual_machine: { blocks: ['storage_os_disk', 'storage_data_disk'], attribute: 'managed_disk_id' },
  azurerm_linux_virtual_machine: { blocks: ['os_disk'], attribute: 'id' },
  azurerm_windows_virtual_machine: { blocks: ['os_disk'], attribute: 'id' },
  google_compute_instance: { blocks: ['boot_disk', 'attached_disk'], attribute: 'source' },
};
/** More than any cloud attaches to one machine. */
const MAX_DISKS = 256;
const AZURE_MACHINE = /^(\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Compute)\//i;

/** Attributes that `partNamesOf` reads. */
export const PART_ATTRIBUTES = [...new Set(Object.values(DISKS).flatMap(({ blocks }) => blocks))];

/**
 * Disks that a machine carries in its own attributes: clouds bill and list them as resources of their own. Values are as
 * the attributes spell them.
 */
export function partNamesOf(type: string, attributes: IdAttributes): string[] {
  const disks = Object.hasOwn(DISKS, type) ? DISKS[type] : undefined;
  if (disks === undefined) return [];
  const machine = idText(attributes['id']) ?? '';
  const found = disks.blocks.flatMap((name) => blocksOf(attributes[name])).slice(0, MAX_DISKS);
  return found.flatMap((block) => {
    const id = idText(block[disks.attribute]) ?? azureDiskId(machine, block['name']);
    return id === undefined ? [] : [id];
  });
}

/** Azure creates the disk of a machine in the machine's resource group; older providers tell only its name. */
function azureDiskId(machine: string, name: unknown): string | undefined {
  const group = AZURE_MACHINE.exec(machine)?.[1];
  const disk = idText(name);
  // The two together may be longer than an id may be.
  return group === undefined || disk === undefined || disk.includes('/')
    ? undefined
    : idText(`${group}/disks/${disk}`);
}

function blocksOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isBlock) : [];
}

function isBlock(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
