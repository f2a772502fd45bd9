import type { ColumnNames, Layout } from './column-names.rules.js';

/** Columns without which an AWS Cost and Usage Report cannot be read. CUR 2.0 spells them `line_item_…`. */
const NEEDED = [
  'lineItem/UnblendedCost',
  'lineItem/CurrencyCode',
  'lineItem/UsageStartDate',
  'lineItem/ResourceId',
];
const TAG_COLUMN = /^resource_?tags[/_](?:user:)?(.+)$/i;

/** Line item types of AWS as charge categories of FOCUS. Source: AWS, "Line item details" of the CUR guide. */
const CATEGORIES = new Map([
  ['usage', 'Usage'],
  ['discountedusage', 'Usage'],
  ['savingsplancoveredusage', 'Usage'],
  ['tax', 'Tax'],
  ['credit', 'Credit'],
  ['fee', 'Purchase'],
  ['rifee', 'Purchase'],
  ['savingsplanupfrontfee', 'Purchase'],
  ['savingsplanrecurringfee', 'Purchase'],
  ['refund', 'Adjustment'],
  ['edpdiscount', 'Adjustment'],
  ['bundleddiscount', 'Adjustment'],
  ['savingsplannegation', 'Adjustment'],
]);

export function curLayout(names: ColumnNames): Layout | { missing: string } {
  const missing = names.missing(NEEDED);
  if (missing !== undefined) return { missing };
  const effective = (category: string, name: string) =>
    names.all(name).map((column) => ({ category, column }));
  return {
    format: 'cur',
    columns: {
      billed: names.all('lineItem/UnblendedCost'),
      effective: [],
      currency: names.all('lineItem/CurrencyCode'),
      start: names.all('lineItem/UsageStartDate'),
      period: names.all('bill/BillingPeriodStartDate'),
      resource: names.all('lineItem/ResourceId'),
      type: names.all('product/productFamily', 'product_product_family'),
      service: names.all('lineItem/ProductCode', 'product/ProductName'),
      region: names.all('product/regionCode', 'product/region', 'product_region_code'),
      category: names.all('lineItem/LineItemType'),
      account: names.all('lineItem/UsageAccountId'),
      provider: [],
    },
    tagMap: names.find('resource_tags'),
    tags: names.names.flatMap((name, column) => {
      const key = TAG_COLUMN.exec(name)?.[1];
      return key === undefined ? [] : [{ key, column }];
    }),
    categories: CATEGORIES,
    effectiveByCategory: [
      ...effective('discountedusage', 'reservation/EffectiveCost'),
      ...effective('savingsplancoveredusage', 'savingsPlan/SavingsPlanEffectiveCost'),
    ],
  };
}
