import {
  canCost,
  chooseRegion,
  cloudOf,
  cloudOfType,
  isComplete,
  ownRegion,
  priceResource,
  type RegionAnswer,
  type ResourcePrice,
  tagsOf,
} from '../../pricing/index.js';
import type { PricingBasis } from '../books/pricing-bases.service.js';
import type { KnownLinks } from './known-links.js';
import { linkHash } from './link-hash.js';
import { CLASSES, componentsJson, type InstanceRow, type PricedItem } from './priced-item.js';

const MAX_ID_LENGTH = 2_048;
const MASKED = '(sensitive value)';

/** The region that most instances of a cloud tell, by cloud. */
export type Majorities = Readonly<Record<string, string | undefined>>;

/** Why an instance cannot be priced yet. */
export type Deferral = 'links' | 'region';

export interface PricingContext {
  basis: PricingBasis;
  links: KnownLinks;
  /** undefined while regions are still counted */
  majorities: Majorities | undefined;
}

export interface PricingOutcome {
  item: PricedItem;
  /** set: something that the price depends on is not known yet, so that the item must be computed again */
  deferred?: Deferral;
}

/** Where an instance is, as far as that is known. */
interface Place {
  /** what its attributes tell */
  own: RegionAnswer;
  /** told by its attributes or the plan */
  named: string | undefined;
  /** the region to price in; undefined for what costs nothing and names none */
  region: string | undefined;
  /** the default region of its cloud; empty for a type of no cloud */
  byDefault: string;
}

/** What one instance costs. Total on any attributes. */
export function priceInstance(row: InstanceRow, context: PricingContext): PricingOutcome {
  const { links, majorities } = context;
  const misses = links.missCount;
  const isCosted = canCost(row.type);
  const place = placeOf(row, context);
  const price = priceAt(place, row, context);
  const asked = isCosted
    ? [...price.links, ...place.own.links].map(({ type, id }) => linkHash(type, id))
    : [];
  const item = itemOf(row, { place, price, asked });
  if (links.missCount > misses) return { item, deferred: 'links' };
  if (isCosted && place.named === undefined && majorities === undefined) return { item, deferred: 'region' };
  return { item };
}

function placeOf(row: InstanceRow, { basis, links, majorities }: PricingContext): Place {
  const { type, attributes, plannedRegion } = row;
  const isCosted = canCost(type);
  const cloud = cloudOfType(type);
  const own = ownRegion({ type, attributes, ...(isCosted ? { linked: links.find } : {}) });
  const named = own.region ?? plannedRegion;
  const byDefault = (cloud && basis.defaultRegions[cloud]) ?? '';
  if (!isCosted || cloud === undefined) return { own, named, region: named, byDefault };
  const majority = majorities?.[cloud];
  const region = chooseRegion({
    ...(own.region === undefined ? {} : { own: own.region }),
    ...(plannedRegion === undefined ? {} : { planned: plannedRegion }),
    ...(majority === undefined ? {} : { majority }),
    byDefault,
  });
  return { own, named, region, byDefault };
}

function priceAt(place: Place, row: InstanceRow, { basis, links }: PricingContext): ResourcePrice {
  const { type, attributes, address, unknown } = row;
  const usage = canCost(type) && !basis.usage.isEmpty ? basis.usage.find(type, address) : undefined;
  return priceResource({
    type,
    attributes,
    ...(unknown === undefined ? {} : { unknown }),
    region: place.region ?? place.byDefault,
    linked: links.find,
    book: basis.book,
    ...(usage === undefined ? {} : { usage }),
    ...(basis.isFallingBack ? { fallbackRegion: place.byDefault } : {}),
  });
}

function itemOf(
  row: InstanceRow,
  { place, price, asked }: { place: Place; price: ResourcePrice; asked: readonly string[] },
): PricedItem {
  return {
    key: row.key,
    address: row.address,
    deposed: row.deposed,
    type: row.type,
    provider: cloudOf(row.provider),
    region: place.region,
    ownRegion: place.own.region,
    cloudResourceId: cloudResourceId(row.attributes),
    class: CLASSES[price.class],
    isPriced: price.isPriced,
    costs: price.costs,
    tags: tagsOf(row.type, row.attributes),
    components: componentsJson(price.components),
    asked: [...new Set(asked)],
    gap: gapOf(price),
  };
}

function gapOf(price: ResourcePrice): string | undefined {
  if (price.isPriced || price.class === 'free') return undefined;
  if (price.class === 'unknown') return 'unknown_type';
  if (price.failure !== undefined) return 'rule_failed';
  return price.components.find((component) => !isComplete(component))?.gap ?? 'no_price';
}

/** The id that the cloud knows it by. */
function cloudResourceId(attributes: unknown): string | undefined {
  if (typeof attributes !== 'object' || attributes === null) return undefined;
  for (const name of ['arn', 'id', 'self_link']) {
    const value = Object.hasOwn(attributes, name) ? (attributes as Record<string, unknown>)[name] : undefined;
    if (typeof value === 'string' && value !== '' && value !== MASKED && value.length <= MAX_ID_LENGTH)
      return value;
  }
  return undefined;
}
