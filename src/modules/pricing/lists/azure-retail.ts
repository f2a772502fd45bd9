import { Decimal } from '../decimal.js';
import type { ListedPrice, Placed } from './listed-price.js';
import { readPage } from './list-source.js';

/** A page of Azure's retail prices: https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices */
interface RetailItem {
  type?: string;
  currencyCode?: string;
  retailPrice?: number;
  tierMinimumUnits?: number;
  armRegionName?: string;
  armSkuName?: string;
  serviceName?: string;
  productName?: string;
  skuName?: string;
  meterName?: string;
  effectiveStartDate?: string;
}

/** Follows `NextPageLink` from the address or file that the operator names, on the same host only. */
export async function* azureRetail(source: string): AsyncGenerator<ListedPrice> {
  for (let next: string | undefined = source; next !== undefined;) {
    const page = (await readPage(next)) as { Items?: unknown; NextPageLink?: unknown };
    if (!Array.isArray(page.Items))
      throw new Error('file is not a page of Azure retail prices: Items is missing');
    for (const item of page.Items as RetailItem[]) {
      const listed = listedPrice(item);
      if (listed) yield listed;
    }
    next = nextPage(source, page.NextPageLink);
  }
}

function nextPage(source: string, link: unknown): string | undefined {
  if (typeof link !== 'string' || link === '' || !/^https?:/.test(source)) return undefined;
  return new URL(link).host === new URL(source).host ? link : undefined;
}

function listedPrice(item: RetailItem): ListedPrice | undefined {
  if (item.type !== 'Consumption' || typeof item.retailPrice !== 'number') return undefined;
  const placed = placeAzureItem(item);
  if (placed === undefined) return undefined;
  const region = item.armRegionName ?? '';
  return {
    provider: 'azure',
    region: region === '' || region === 'Global' ? 'global' : region,
    key: placed.key,
    unit: placed.unit,
    currency: item.currencyCode ?? 'USD',
    price: Decimal.of(item.retailPrice).times(Decimal.of(placed.times ?? '1')),
    from: Decimal.of(item.tierMinimumUnits ?? 0),
    date: (item.effectiveStartDate ?? '').slice(0, 10),
  };
}

const FIXED: Record<string, Placed> = {
  'NAT Gateway/Standard Gateway': { key: 'nat_gateway/nat-gateway', unit: 'hours' },
  'NAT Gateway/Standard Data Processed': { key: 'nat_gateway/data-processed', unit: 'GB' },
  'Virtual Network/Standard IPv4 Static Public IP': {
    key: 'public_ip/standard/static/regional',
    unit: 'hours',
  },
  'Virtual Network/Basic IPv4 Static Public IP': { key: 'public_ip/basic/static/regional', unit: 'hours' },
  'Virtual Network/Basic IPv4 Dynamic Public IP': { key: 'public_ip/basic/dynamic/regional', unit: 'hours' },
  'Load Balancer/Standard Data Processed': { key: 'lb/data-processed-standard', unit: 'GB' },
  'Azure Firewall/Standard Deployment': { key: 'firewall/deployment-standard', unit: 'hours' },
  'Azure Kubernetes Service/Standard Uptime SLA': { key: 'kubernetes_cluster/uptime-sla', unit: 'hours' },
};

export function placeAzureItem(item: RetailItem): Placed | undefined {
  if (item.serviceName === 'Virtual Machines') return placeMachine(item);
  if (item.serviceName === 'Storage' && /Managed Disks$/.test(item.productName ?? '')) return placeDisk(item);
  return FIXED[`${item.serviceName ?? ''}/${item.meterName ?? ''}`];
}

function placeMachine({ armSkuName, skuName, productName }: RetailItem): Placed | undefined {
  const [sku, product] = [armSkuName ?? '', productName ?? ''];
  const isOther = /Spot|Low Priority/.test(skuName ?? '') || /CloudServices|Dedicated Host/i.test(product);
  if (sku === '' || isOther) return undefined;
  const system = product.endsWith('Windows') ? 'windows' : 'linux';
  return { key: `vm/${system}/pay_as_you_go/${sku.toLowerCase()}`, unit: 'hours' };
}

function placeDisk({ meterName }: RetailItem): Placed | undefined {
  const [, tier, replication] = /^([PES]\d+) (LRS|ZRS) Disk$/.exec(meterName ?? '') ?? [];
  if (tier === undefined) return undefined;
  return { key: `managed_disk/storage/${tier}-${replication ?? ''}`.toLowerCase(), unit: 'months' };
}
