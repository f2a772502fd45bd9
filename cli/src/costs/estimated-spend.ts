import type { StateSpendView } from '@infrastate/sdk';
import { stateCostsFind } from '@infrastate/sdk';
import { ServiceFailure } from '../failure.js';
import { answer, type ApiClient } from '../service/api-client.js';
import { rowsOf } from '../service/pages.js';
import { amount } from './cost-tables.js';
import { hoursOf, timesWhole } from './exact-spend.rules.js';

/** Most instances that the service answers in one page. */
const PAGE_SIZE = 1000;

/** Asks what the billed instances of a state are estimated to cost over the billed days, by address, as it is shown. */
export async function estimatedSpend(
  client: ApiClient,
  stateId: string,
  spend: StateSpendView,
): Promise<Map<string, string>> {
  const estimates = new Map<string, string>();
  const { window_start: first, window_end: last } = spend;
  if (first === undefined || last === undefined) return estimates;
  const hours = hoursOf(first, last);
  const billed = new Set(spend.resources.map(({ address }) => address));
  const rows = rowsOf(async (page) => {
    const query = { limit: PAGE_SIZE, ...(page === undefined ? {} : { page }) };
    const { instance_costs: results, next_page } = await answer(
      stateCostsFind({ client, path: { stateId }, query }),
    );
    return { results, ...(next_page === undefined ? {} : { next_page }) };
  });
  try {
    for await (const { address, deposed, hourly_cost: hourly, currency } of rows) {
      // A bill names the instance, not the object that a replacement left behind.
      if (deposed !== undefined || hourly === undefined || !billed.has(address)) continue;
      const isSameCurrency = currency === spend.currency;
      estimates.set(address, amount(timesWhole(hourly, hours), isSameCurrency ? undefined : currency));
    }
  } catch (error) {
    // A state that was never priced has no estimate; what was billed is shown all the same.
    if (!(error instanceof ServiceFailure && error.id === 'COSTS_NOT_FOUND')) throw error;
  }
  return estimates;
}
