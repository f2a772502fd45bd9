import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft } from '../resource-draft.js';

/** Managed disks are billed by tier: https://azure.microsoft.com/pricing/details/managed-disks/ (2026-07). */
const SIZES: readonly [gigabytes: number, tier: number][] = [
  [4, 1],
  [8, 2],
  [16, 3],
  [32, 4],
  [64, 6],
  [128, 10],
  [256, 15],
  [512, 20],
  [1024, 30],
  [2048, 40],
  [4096, 50],
  [8192, 60],
  [16_384, 70],
  [32_767, 80],
];
/** The smallest tier of standard hard disks. */
const SMALLEST_HDD_TIER = 4;
const FAMILIES: Record<string, string> = { premium: 'P', standardssd: 'E', standard: 'S' };
/** A disk without a size is as large as its image; the common ones have 30 GB. */
const DEFAULT_DISK_GB = 30;

export interface DiskPlan {
  /** `Standard_LRS`, `Premium_LRS`, `StandardSSD_ZRS`, `UltraSSD_LRS` */
  type: string;
  size: Decimal | undefined;
  iops?: Decimal;
  throughput?: Decimal;
  /** operations a month that the usage tells */
  operations?: Decimal;
}

export function describeDisk(r: ResourceDraft, disk: DiskPlan): void {
  const [family = '', replication = 'LRS'] = disk.type.split('_');
  const kind = family.toLowerCase();
  if (kind === 'ultrassd') return ultraDisk(r, disk);
  const letter = FAMILIES[kind];
  const tier = tierOf(disk.size ?? Decimal.of(DEFAULT_DISK_GB), kind);
  const name = `${letter ?? disk.type} ${tier ?? ''}`.replace(' ', '');
  const plan =
    letter === undefined || tier === undefined ? 'unknown' : `${name}-${replication}`.toLowerCase();
  r.monthly(`Storage (${name}, ${replication})`, 'months', 1, { key: `managed_disk/storage/${plan}` });
  if (kind !== 'premium') {
    const operations = disk.operations?.dividedBy(10_000);
    r.perUse('Disk operations', '10k operations', operations, {
      key: `managed_disk/operations/${kind}-${replication.toLowerCase()}`,
    });
  }
  return undefined;
}

function tierOf(size: Decimal, kind: string): number | undefined {
  return SIZES.find(
    ([gigabytes, tier]) => !size.isMore(gigabytes) && (kind !== 'standard' || tier >= SMALLEST_HDD_TIER),
  )?.[1];
}

const ULTRA_SIZES = [4, 8, 16, 32, 64, 128, 256, 512];

/** Ultra disks are billed for size, operations a second and throughput. */
function ultraDisk(r: ResourceDraft, disk: DiskPlan): void {
  const size = disk.size ?? Decimal.of(1024);
  const billed =
    ULTRA_SIZES.find((gigabytes) => !size.isMore(gigabytes)) ??
    Number(size.dividedBy(1024).ceiling().times(1024).toString());
  r.monthly(`Storage (ultra, ${billed} GiB)`, 'GiB', billed, { key: 'managed_disk/ultra/storage' });
  r.monthly('Provisioned IOPS', 'IOPS', disk.iops ?? Decimal.of(2048), { key: 'managed_disk/ultra/iops' });
  r.monthly('Throughput', 'MB/s', disk.throughput ?? Decimal.of(8), { key: 'managed_disk/ultra/throughput' });
}

/** A disk as a block of a machine or as a resource of its own. */
export function diskPlan(
  disk: AttributeReader | undefined,
  names: { type: string; defaultType?: string },
): DiskPlan {
  const iops = disk?.computed.number('disk_iops_read_write');
  const throughput = disk?.computed.number('disk_mbps_read_write');
  return {
    type: disk?.computed.text(names.type) ?? names.defaultType ?? 'Standard_LRS',
    size: disk?.computed.number('disk_size_gb'),
    ...(iops ? { iops } : {}),
    ...(throughput ? { throughput } : {}),
  };
}
