import { type ComponentSpec, HOURS_PER_MONTH, type PricedComponent, type TierScale } from './component.js';
import { Decimal } from './decimal.js';
import type { Price, PriceBook } from './price-book.js';

export interface PriceSearch {
  book: PriceBook;
  cloud: string;
  region: string;
  /** the region to take a price from where the instance's own has none; only where the operator allows it */
  fallbackRegion?: string;
}

/** A component with its costs as numbers, for sums. */
export interface CostedComponent {
  component: PricedComponent;
  hourly?: Decimal;
  monthly?: Decimal;
}

/** Puts the price book's price to a described component; one per tier that the quantity reaches. */
export function priceComponent(spec: ComponentSpec, search: PriceSearch): CostedComponent[] {
  if (spec.unreadable !== undefined)
    return [
      {
        component: {
          ...named(spec),
          gap: 'unknown_attribute',
          reason: `attribute ${spec.unreadable} is unknown`,
        },
      },
    ];
  const found = findPrice(spec, search);
  if (found === undefined) {
    const reason = `no price for ${spec.key} in ${spec.region ?? search.region}`;
    return [{ component: { ...named(spec), ...quantities(spec), gap: 'no_price', reason } }];
  }
  const { amount } = found.price;
  if (typeof amount !== 'string' && amount.length > 1) return tiers(spec, found, amount);
  return [withPrice(spec, found, spec.factor ? found.price.decimal.times(spec.factor) : found.price.decimal)];
}

interface Found {
  price: Price;
  priceRegion?: string;
}

function findPrice(spec: ComponentSpec, search: PriceSearch): Found | undefined {
  const price = search.book.find(search.cloud, spec.region ?? search.region, spec.key);
  if (price !== undefined) return { price };
  if (search.fallbackRegion === undefined) return undefined;
  const borrowed = search.book.find(search.cloud, search.fallbackRegion, spec.key);
  return borrowed && { price: borrowed, priceRegion: search.fallbackRegion };
}

function named(spec: ComponentSpec): PricedComponent {
  const component: PricedComponent = { name: spec.name, unit: spec.unit, key: spec.key };
  if (spec.usageBased) component.usageBased = true;
  return component;
}

function quantities(spec: ComponentSpec): Pick<PricedComponent, 'hourlyQuantity' | 'monthlyQuantity'> {
  if (spec.hourly !== undefined)
    return {
      hourlyQuantity: spec.hourly.toString(),
      monthlyQuantity: spec.hourly.times(HOURS_PER_MONTH).toString(),
    };
  if (spec.monthly !== undefined)
    return {
      hourlyQuantity: spec.monthly.dividedBy(HOURS_PER_MONTH).toString(),
      monthlyQuantity: spec.monthly.toString(),
    };
  return {};
}

function withPrice(spec: ComponentSpec, found: Found, price: Decimal): CostedComponent {
  const component = named(spec);
  component.price = spec.factor ? price.toString() : found.price.text;
  component.currency = found.price.currency;
  if (found.priceRegion !== undefined) component.priceRegion = found.priceRegion;
  if (found.price.mark !== undefined) component.mark = found.price.mark;
  return withCost(component, spec, price);
}

function withCost(
  component: PricedComponent,
  { hourly, monthly }: Pick<ComponentSpec, 'hourly' | 'monthly'>,
  price: Decimal,
): CostedComponent {
  if (hourly === undefined && monthly === undefined) {
    component.gap = 'no_usage';
    component.reason = 'quantity depends on usage';
    return { component };
  }
  const quantity = monthly ?? (hourly ?? Decimal.ZERO).times(HOURS_PER_MONTH);
  const cost = quantity.times(price);
  const hourlyCost = hourly === undefined ? cost.dividedBy(HOURS_PER_MONTH) : hourly.times(price);
  component.hourlyQuantity = (hourly ?? quantity.dividedBy(HOURS_PER_MONTH)).toString();
  component.monthlyQuantity = quantity.toString();
  component.hourlyCost = hourlyCost.toAmount();
  component.monthlyCost = cost.toAmount();
  return { component, hourly: hourlyCost, monthly: cost };
}

/** The quantity of a month cut at the tiers' bounds; without a quantity the first tier's price. */
function tiers(
  spec: ComponentSpec,
  found: Found,
  amount: readonly (readonly [string, string])[],
): CostedComponent[] {
  const monthly = spec.monthly ?? spec.hourly?.times(HOURS_PER_MONTH);
  const components: CostedComponent[] = [];
  for (const [index, [text, price]] of amount.entries()) {
    const from = Decimal.of(text);
    if (index > 0 && (monthly === undefined || !monthly.isMore(from))) break;
    const next = amount[index + 1];
    const to = next === undefined ? undefined : Decimal.of(next[0]);
    const part = monthly && (to === undefined ? monthly : monthly.atMost(to)).minus(from);
    const component = named(spec);
    component.name = `${spec.name} (${tierLabel({ from, to }, spec)})`;
    component.price = price;
    component.currency = found.price.currency;
    if (found.priceRegion !== undefined) component.priceRegion = found.priceRegion;
    if (found.price.mark !== undefined) component.mark = found.price.mark;
    components.push(withCost(component, part ? { monthly: part } : {}, Decimal.of(price)));
  }
  return components;
}

/** `first 10TB`, `next 40TB`, `over 50TB`. */
export function tierLabel(
  bounds: { from: Decimal; to?: Decimal },
  spec: { unit: string; tierScale?: TierScale },
): string {
  const scale =
    spec.tierScale?.perUnit === undefined ? { ...scaleOf(spec.unit), ...spec.tierScale } : spec.tierScale;
  const { from, to } = bounds;
  if (to === undefined) return `over ${amountLabel(from, scale)}`;
  return `${from.isZero() ? 'first' : 'next'} ${amountLabel(to.minus(from), scale)}`;
}

/** `1M requests` counts 1,000,000 pieces in one unit, `GB` gigabytes. */
function scaleOf(unit: string): TierScale {
  if (/^[GT]i?B(?!-)\b/.test(unit)) return { perUnit: unit.startsWith('T') ? 1024 : 1, bytes: true };
  const [, digits = '1', letter = ''] = /^(\d+)([kKMB]?)\b/.exec(unit) ?? [];
  return { perUnit: Number(digits) * 1000 ** ['', 'K', 'M', 'B'].indexOf(letter.toUpperCase()) };
}

function amountLabel(amount: Decimal, scale: TierScale): string {
  let value = amount.times(scale.perUnit ?? 1);
  const step = scale.bytes === true && scale.decimal !== true ? 1024 : 1000;
  const letters = scale.bytes === true ? ['GB', 'TB', 'PB'] : ['', ...(scale.letters ?? 'KMB')];
  let index = 0;
  while (index < letters.length - 1 && !value.isLess(step)) {
    value = value.dividedBy(step);
    index++;
  }
  return `${value.toString()}${scale.spaced === true ? ' ' : ''}${letters[index] ?? ''}`;
}
