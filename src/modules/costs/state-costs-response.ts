import type { Response } from 'express';
import { pageLimit, type PageLinks, sendParts } from '../../platform/http/index.js';
import type { ListCostsQuery } from './dto/cost.dto.js';
import type { StateCosts } from './reports/state-costs.queries.js';

/** Nothing is sent before the first instances were read: until then a failure is answered as such. */
export async function sendStateCosts(
  costs: StateCosts,
  of: { stateId: string; query: ListCostsQuery },
  to: { response: Response; pages: PageLinks },
): Promise<void> {
  const { limit, page } = of.query;
  const isPaged = limit !== undefined || page !== undefined;
  const parts = costs.parts(
    of.stateId,
    { limit: isPaged ? pageLimit(limit, 100, 1_000) : undefined, page },
    (next) => to.pages.set(to.response, { next }),
  );
  const first = (await parts.next()).value ?? '';
  to.response.type('application/json');
  await sendParts(to.response, inOrder(first, parts));
}

async function* inOrder(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
