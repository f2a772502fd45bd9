import { Decimal } from '../decimal.js';
import type { ListedPrice } from './listed-price.js';
import { readPage } from './list-source.js';

/** A page of Google's catalogue: https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list */
interface Sku {
  description?: string;
  category?: { resourceFamily?: string; usageType?: string };
  serviceRegions?: string[];
  pricingInfo?: {
    effectiveTime?: string;
    pricingExpression?: { usageUnit?: string; tieredRates?: Rate[] };
  }[];
}

interface Rate {
  startUsageAmount?: number;
  unitPrice?: { currencyCode?: string; units?: string; nanos?: number };
}

/** Follows `nextPageToken` where the source is an address. */
export async function* googleSkus(source: string): AsyncGenerator<ListedPrice> {
  const machines = new MachineParts();
  for (let next: string | undefined = source; next !== undefined;) {
    const page = (await readPage(next)) as { skus?: unknown; nextPageToken?: unknown };
    if (!Array.isArray(page.skus)) throw new Error('file is not a page of Google SKUs: skus is missing');
    for (const sku of page.skus as Sku[]) yield* skuPrices(sku, machines);
    next = nextPage(source, page.nextPageToken);
  }
  yield* machines.prices();
}

function nextPage(source: string, token: unknown): string | undefined {
  if (typeof token !== 'string' || token === '' || !/^https?:/.test(source)) return undefined;
  const url = new URL(source);
  url.searchParams.set('pageToken', token);
  return url.href;
}

const DISKS: Record<string, string> = {
  'Storage PD Capacity': 'pd-standard',
  'Balanced PD Capacity': 'pd-balanced',
  'SSD backed PD Capacity': 'pd-ssd',
  'Extreme PD Capacity': 'pd-extreme',
};

function* skuPrices(sku: Sku, machines: MachineParts): Generator<ListedPrice> {
  const description = sku.description ?? '';
  const purchase = PURCHASES[sku.category?.usageType ?? ''];
  if (purchase === undefined) return;
  const disk = DISKS[description.replace(/ in .*$/, '')];
  const part =
    /^(?:Spot Preemptible )?(N1 Predefined|N2D AMD|N2|E2|C2|Compute optimized) ?(?:Instance )?(Core|Ram) running in /.exec(
      description,
    );
  for (const region of sku.serviceRegions ?? []) {
    for (const price of ratePrices(sku, region)) {
      if (disk !== undefined) yield { ...price, key: `compute/disk/${disk}`, unit: 'GB' };
      if (part)
        machines.add({
          family: FAMILIES[part[1] ?? ''] ?? '',
          kind: part[2] === 'Core' ? 'core' : 'ram',
          purchase,
          price,
        });
    }
  }
}

const PURCHASES: Record<string, string> = { OnDemand: 'on_demand', Preemptible: 'preemptible' };
const FAMILIES: Record<string, string> = {
  'N1 Predefined': 'n1',
  N2: 'n2',
  'N2D AMD': 'n2d',
  E2: 'e2',
  C2: 'c2',
  'Compute optimized': 'c2',
};

function* ratePrices(sku: Sku, region: string): Generator<ListedPrice> {
  for (const info of sku.pricingInfo ?? []) {
    for (const rate of info.pricingExpression?.tieredRates ?? []) {
      const { units = '0', nanos = 0, currencyCode = 'USD' } = rate.unitPrice ?? {};
      const price = (Decimal.parse(units) ?? Decimal.ZERO).plus(
        Decimal.of(nanos).times(Decimal.of('0.000000001')),
      );
      yield {
        provider: 'gcp',
        region,
        key: '',
        unit: '',
        currency: currencyCode,
        price,
        from: Decimal.of(rate.startUsageAmount ?? 0),
        date: (info.effectiveTime ?? '').slice(0, 10),
      };
    }
  }
}

interface Part {
  family: string;
  kind: 'core' | 'ram';
  purchase: string;
  price: ListedPrice;
}

/** Machine types are listed by core and gigabyte; the book has them whole. */
class MachineParts {
  private readonly parts = new Map<string, { core?: ListedPrice; ram?: ListedPrice }>();

  add({ family, kind, purchase, price }: Part): void {
    const id = `${family} ${purchase} ${price.region} ${price.currency}`;
    this.parts.set(id, { ...this.parts.get(id), [kind]: price });
  }

  *prices(): Generator<ListedPrice> {
    for (const [id, { core, ram }] of this.parts) {
      if (core === undefined || ram === undefined) continue;
      const [family = '', purchase = ''] = id.split(' ');
      for (const [series, gigabytes] of Object.entries(SERIES[family] ?? {})) {
        for (const cores of SIZES[family] ?? []) {
          const memory = Decimal.of(cores).times(Decimal.of(gigabytes));
          yield {
            ...core,
            key: `compute/instance/${purchase}/${family}-${series}-${cores}`,
            unit: 'hours',
            price: core.price.times(cores).plus(ram.price.times(memory)),
          };
        }
      }
    }
  }
}

/** Gigabytes a core: https://cloud.google.com/compute/docs/machine-resource (2026-07). */
const SERIES: Record<string, Record<string, string>> = {
  n1: { standard: '3.75', highmem: '6.5', highcpu: '0.9' },
  n2: { standard: '4', highmem: '8', highcpu: '1' },
  n2d: { standard: '4', highmem: '8', highcpu: '1' },
  e2: { standard: '4', highmem: '8', highcpu: '1' },
  c2: { standard: '4' },
};
const SIZES: Record<string, readonly number[]> = {
  n1: [1, 2, 4, 8, 16, 32, 64, 96],
  n2: [2, 4, 8, 16, 32, 48, 64, 80],
  n2d: [2, 4, 8, 16, 32, 48, 64, 80, 96],
  e2: [2, 4, 8, 16, 32],
  c2: [4, 8, 16, 30, 60],
};
