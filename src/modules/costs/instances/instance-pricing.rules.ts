import {
  canCost,
  chooseRegion,
  cloudOf,
  cloudOfType,
  isComplete,
  ownRegion,
  priceResource,
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

/** What one instance costs. Total on any attributes. */
export function priceInstance(row: InstanceRow, context: PricingContext): PricingOutcome {
  const { basis, links } = context;
  const { type, attributes } = row;
  const misses = links.missCount;
  const cloud = cloudOfType(type);
  const isCosted = canCost(type);
  const own = ownRegion({ type, attributes, ...(isCosted ? { linked: links.find } : {}) });
  const byDefault = (cloud && basis.defaultRegions[cloud]) ?? '';
  const named = own.region ?? row.plannedRegion;
  const region =
    isCosted && cloud !== undefined
      ? chooseRegion({
          ...(own.region === undefined ? {} : { own: own.region }),
          ...(row.plannedRegion === undefined ? {} : { planned: row.plannedRegion }),
          ...majorityOf(context.majorities?.[cloud]),
          byDefault,
        })
      : named;
  const usage = isCosted && !basis.usage.isEmpty ? basis.usage.find(type, row.address) : undefined;
  const price = priceResource({
    type,
    attributes,
    ...(row.unknown === undefined ? {} : { unknown: row.unknown }),
    region: region ?? byDefault,
    linked: links.find,
    book: basis.book,
    ...(usage === undefined ? {} : { usage }),
    ...(basis.isFallingBack ? { fallbackRegion: byDefault } : {}),
  });
  const asked = isCosted ? [...price.links, ...own.links].map((link) => linkHash(link.type, link.id)) : [];
  const item: PricedItem = {
    key: row.key,
    address: row.address,
    deposed: row.deposed,
    type,
    provider: cloudOf(row.provider),
    region,
    ownRegion: own.region,
    cloudResourceId: cloudResourceId(attributes),
    class: CLASSES[price.class],
    isPriced: price.isPriced,
    costs: price.costs,
    tags: tagsOf(type, attributes),
    components: componentsJson(price.components),
    asked: [...new Set(asked)],
    gap: gapOf(price),
  };
  if (links.missCount > misses) return { item, deferred: 'links' };
  if (isCosted && named === undefined && context.majorities === undefined)
    return { item, deferred: 'region' };
  return { item };
}

function majorityOf(region: string | undefined): { majority?: string } {
  return region === undefined ? {} : { majority: region };
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
