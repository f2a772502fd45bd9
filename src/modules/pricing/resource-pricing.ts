import { isComplete, type PricedComponent } from './component.js';
import type { Decimal } from './decimal.js';
import { isFreeType } from './free-types.js';
import type { PriceBook } from './price-book.js';
import { type CostedComponent, priceComponent } from './price-components.js';
import { cloudOfType } from './region.rules.js';
import { type DraftInput, type Link, ResourceDraft } from './resource-draft.js';
import { ruleOf } from './rule-table.js';

export interface PricingQuestion extends DraftInput {
  book: PriceBook;
  /** the region to take a price from where the instance's own has none; only where the operator allows it */
  fallbackRegion?: string;
}

/** Cost in one currency. */
export interface Cost {
  currency: string;
  hourly: string;
  monthly: string;
}

export interface ResourcePrice {
  /** priced: a known type that costs something; free: known and without cost; unknown: no rule for this type */
  class: 'priced' | 'free' | 'unknown';
  components: readonly PricedComponent[];
  /** every component has a price and, unless it depends on usage, a quantity; false for free and unknown ones */
  isPriced: boolean;
  /** one entry per currency, the one with most components first; empty when no component has a cost */
  costs: readonly Cost[];
  /** instances whose change means that this one must be priced again; the questions asked, answered or not */
  links: readonly Link[];
  /** the error of a rule that threw */
  failure?: Error;
}

const FREE: ResourcePrice = { class: 'free', components: [], isPriced: false, costs: [], links: [] };
const UNKNOWN: ResourcePrice = { class: 'unknown', components: [], isPriced: false, costs: [], links: [] };

/** What one instance costs. Never throws: a rule that throws leaves its instance unpriced and `failure` set. */
export function priceResource(question: PricingQuestion): ResourcePrice {
  const { type, book } = question;
  const found = ruleOf(type);
  const cloud = cloudOfType(type);
  if (found === undefined || cloud === undefined) return isFreeType(type) ? FREE : UNKNOWN;
  const draft = new ResourceDraft(question, found.family);
  try {
    found.rule(draft);
    draft.keepVisible();
    const search = {
      book,
      cloud,
      region: question.region,
      ...(question.fallbackRegion === undefined ? {} : { fallbackRegion: question.fallbackRegion }),
    };
    return assess(
      draft.components.flatMap((spec) => priceComponent(spec, search)),
      draft.links,
    );
  } catch (error) {
    const failure = error instanceof Error ? error : new Error('rule failed');
    return { class: 'priced', components: [], isPriced: false, costs: [], links: draft.links, failure };
  }
}

/** Whether the type is known: it has a rule or is free. */
export function isSupportedType(type: string): boolean {
  return ruleOf(type) !== undefined || isFreeType(type);
}

/** Whether instances of the type can cost something, so that their attributes must be read. */
export function canCost(type: string): boolean {
  return ruleOf(type) !== undefined;
}

function assess(costed: readonly CostedComponent[], links: Link[]): ResourcePrice {
  if (costed.length === 0) return links.length === 0 ? FREE : { ...FREE, links };
  const components = costed.map(({ component }) => component);
  return {
    class: 'priced',
    components,
    isPriced: components.every(isComplete),
    costs: costsOf(costed),
    links,
  };
}

/** Sums by currency; amounts of different currencies are never added. */
function costsOf(costed: readonly CostedComponent[]): Cost[] {
  const sums: { currency: string; hourly: Decimal; monthly: Decimal; count: number }[] = [];
  for (const { component, hourly, monthly } of costed) {
    const { currency } = component;
    if (currency === undefined || hourly === undefined || monthly === undefined) continue;
    const sum = sums.find((each) => each.currency === currency);
    if (sum === undefined) sums.push({ currency, hourly, monthly, count: 1 });
    else {
      sum.hourly = sum.hourly.plus(hourly);
      sum.monthly = sum.monthly.plus(monthly);
      sum.count++;
    }
  }
  if (sums.length > 1) sums.sort((left, right) => right.count - left.count);
  return sums.map(({ currency, hourly, monthly }) => ({
    currency,
    hourly: hourly.toAmount(),
    monthly: monthly.toAmount(),
  }));
}
