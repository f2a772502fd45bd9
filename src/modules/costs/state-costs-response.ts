import type { Request, Response } from 'express';
import { nextPageLink, sendParts } from '../../platform/http/index.js';
import { pageLimit } from '../states/index.js';
import type { ListCostsQuery } from './dto/cost.dto.js';
import type { StateCosts } from './reports/state-costs.queries.js';

/** Nothing is sent before the first instances were read: until then a failure is answered as such. */
export async function sendStateCosts(
  costs: StateCosts,
  of: { stateId: string; query: ListCostsQuery },
  to: { request: Request; response: Response; uiBase: string },
): Promise<void> {
  const { limit, page } = of.query;
  const isPaged = limit !== undefined || page !== undefined;
  const parts = costs.parts(
    of.stateId,
    { limit: isPaged ? pageLimit(limit, 100, 1_000) : undefined, page },
    (token) => to.response.set('Link', nextPageLink(to.request, to.uiBase, token)),
  );
  const first = (await parts.next()).value ?? '';
  to.response.type('application/json');
  await sendParts(to.response, inOrder(first, parts));
}

async function* inOrder(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
