import type { ColumnNames, Layout } from './column-names.rules.js';

/** Columns without which a FOCUS file cannot be read (FOCUS 1.0 to 1.2). */
const NEEDED = ['BilledCost', 'BillingCurrency', 'ChargePeriodStart', 'ResourceId'];

export function focusLayout(names: ColumnNames): Layout | { missing: string } {
  const missing = names.missing(NEEDED);
  if (missing !== undefined) return { missing };
  return {
    format: 'focus',
    columns: {
      billed: names.all('BilledCost'),
      effective: names.all('EffectiveCost'),
      currency: names.all('BillingCurrency'),
      start: names.all('ChargePeriodStart'),
      period: names.all('BillingPeriodStart'),
      resource: names.all('ResourceId'),
      type: names.all('ResourceType'),
      service: names.all('ServiceName'),
      region: names.all('RegionId', 'Region'),
      category: names.all('ChargeCategory'),
      account: names.all('SubAccountId', 'BillingAccountId'),
      provider: names.all('ProviderName', 'ServiceProviderName'),
    },
    tagMap: names.find('Tags'),
    tags: [],
    categories: new Map(),
    effectiveByCategory: [],
  };
}
