import { type Cost, Decimal, type PricedComponent, type ResourcePrice } from '../../pricing/index.js';
import { hashUuid } from '../books/hash-uuid.js';
import type { ItemClass } from '../entities/cost.entities.js';

/** A managed instance as its price is computed from it. */
export interface InstanceRow {
  key: string;
  address: string;
  deposed: string | null;
  type: string;
  /** source address of the provider */
  provider: string;
  attributes: unknown;
  /** the plan's `after_unknown` */
  unknown?: unknown;
  /** the region that a plan's provider configuration names */
  plannedRegion?: string;
}

/** What sums and totals are made of. */
export interface CostedItem {
  readonly type: string;
  /** `aws`, `azure`, `gcp`, else the provider's own name */
  readonly provider: string;
  readonly class: ItemClass;
  readonly isPriced: boolean;
  /** one entry a currency, the one with most components first */
  readonly costs: readonly Cost[];
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly ownRegion: string | undefined;
}

/** What an instance costs, as it is stored. */
export interface PricedItem extends CostedItem {
  readonly key: string;
  readonly address: string;
  readonly deposed: string | null;
  readonly region: string | undefined;
  readonly cloudResourceId: string | undefined;
  /** JSON, as the API answers it */
  readonly components: string;
  /** hashes of the links that the rule asked for */
  readonly asked: readonly string[];
  /** why it is not priced; undefined when it is */
  readonly gap: string | undefined;
}

export const CLASSES: Record<ResourcePrice['class'], ItemClass> = { priced: 'p', free: 'f', unknown: 'u' };

/** Differs whenever the stored row would. */
export function markOf(item: PricedItem): string {
  return hashUuid(
    JSON.stringify([
      item.address,
      item.deposed,
      item.type,
      item.provider,
      item.region,
      item.ownRegion,
      item.cloudResourceId,
      item.class,
      item.isPriced,
      item.costs,
      item.tags,
      item.components,
    ]),
  );
}

/** Components as the API answers them. */
export function componentsJson(components: readonly PricedComponent[]): string {
  if (components.length === 0) return '[]';
  return JSON.stringify(
    components.map((component) => ({
      name: component.name,
      unit: component.unit,
      price_key: component.key,
      price: component.price,
      currency: component.currency,
      price_region: component.priceRegion,
      price_mark: component.mark,
      usage_based: component.usageBased,
      hourly_quantity: component.hourlyQuantity,
      monthly_quantity: component.monthlyQuantity,
      hourly_cost: amount(component.hourlyCost),
      monthly_cost: amount(component.monthlyCost),
      gap: component.gap,
      reason: component.reason,
    })),
  );
}

/** As amounts are written: two digits after the point or more, and no zero behind the second. */
const AMOUNT = /\.\d(?:\d|\d+[1-9])$/;

function amount(text: string | undefined): string | undefined {
  if (text === undefined || AMOUNT.test(text)) return text;
  return Decimal.of(text).toAmount();
}
