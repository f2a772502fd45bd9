export { HOURS_PER_MONTH, isComplete } from './component.js';
export type { Gap, PricedComponent } from './component.js';
export { Decimal } from './decimal.js';
export { GLOBAL_REGION, Price, PriceBook } from './price-book.js';
export type { PriceBookPart, PriceSource, PriceTable } from './price-book.js';
export { BrokenPriceBook, loadPriceBook, priceBookFiles, SHIPPED_PRICE_BOOK } from './price-book-file.js';
export {
  chooseRegion,
  cloudOf,
  cloudOfType,
  majorityRegion,
  normalRegion,
  ownRegion,
} from './region.rules.js';
export type { RegionAnswer, RegionQuestion } from './region.rules.js';
export { canCost, isSupportedType, priceResource } from './resource-pricing.js';
export type { Cost, PricingQuestion, ResourcePrice } from './resource-pricing.js';
export type { FindLinked, Link, LinkedInstance } from './resource-draft.js';
export { pricedTypes } from './rule-table.js';
export { tagsOf } from './tags.rules.js';
export { checkUsage, InvalidUsage, UsageBook } from './usage.rules.js';
export type { UsageDocument, UsageValues } from './usage.rules.js';
export { freeTypes } from './free-types.js';
export { buildPriceBook, LIST_KINDS } from './lists/build-price-book.js';
export type { ListKind, ListSource } from './lists/build-price-book.js';
export { checkPriceBook } from './lists/check-price-book.js';
export { LINKED_TYPES, linkIdsOf } from './links.rules.js';
