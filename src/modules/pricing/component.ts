import type { Decimal } from './decimal.js';

/** Hours that a month is counted as. */
export const HOURS_PER_MONTH = 730;

/** What a rule says of one part of a resource, before a price is looked up. */
export interface ComponentSpec {
  name: string;
  unit: string;
  /** key of the price book without provider and region */
  key: string;
  /** units an hour; at most one of `hourly` and `monthly` is set, none when the quantity depends on usage or is unknown */
  hourly?: Decimal;
  /** units a month */
  monthly?: Decimal;
  usageBased: boolean;
  /** units of `unit` that tiers of the price book are labelled in: 1,000,000 for `1M requests` */
  tierScale?: TierScale;
  /** a price's factor, such as a sustained-use discount */
  factor?: Decimal;
  /** the region whose price applies where it is not the resource's own, such as a replica's */
  region?: string;
  /** why there is neither quantity nor price */
  unreadable?: string;
}

/** How tiers are named: `first 10TB` counts gigabytes in steps of 1,024, `first 1M` counts pieces in steps of 1,000. */
export interface TierScale {
  /** pieces (or gigabytes) in one unit */
  perUnit?: number;
  bytes?: boolean;
  /** terabytes of 1,000 gigabytes */
  decimal?: boolean;
  /** `10 TB` instead of `10TB` */
  spaced?: boolean;
  /** letters for thousand, million and billion; `KMB` when absent */
  letters?: string;
}

/** Tiers of gigabytes that count 1,000 of them as a terabyte. */
export const DECIMAL_TIERS: TierScale = { perUnit: 1, bytes: true, decimal: true };

/** Why a component has no price, or a price but no quantity. */
export type Gap = 'no_price' | 'unknown_attribute' | 'no_usage';

/** One priced part of a resource. Amounts and quantities are exact decimals as text. */
export interface PricedComponent {
  name: string;
  unit: string;
  /** the price book's key, for `price-book show` */
  key: string;
  /** price per unit as the price book has it; absent when it has none */
  price?: string;
  currency?: string;
  /** the region whose price was taken because the resource's own has none; only with the region fallback */
  priceRegion?: string;
  /** `derived` or `approximate (0.5%)`, as the price book marks the price */
  mark?: string;
  usageBased?: true;
  hourlyQuantity?: string;
  monthlyQuantity?: string;
  hourlyCost?: string;
  monthlyCost?: string;
  gap?: Gap;
  /** the gap in words, naming the attribute or price that is missing; never a value */
  reason?: string;
}

/** Whether the component counts as priced: a price and, unless it depends on usage, a quantity. */
export function isComplete(component: PricedComponent): boolean {
  return (
    component.price !== undefined &&
    (component.usageBased === true || component.monthlyQuantity !== undefined)
  );
}
