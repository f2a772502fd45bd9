import { mqlQuery } from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';
import { answer } from '../service/api-client.js';
import { elementsOf } from './raw-json.rules.js';

export interface Query {
  sql: string;
  /** time zone of timestamps */
  tz?: string | undefined;
  /** follow the pages to the end */
  all: boolean;
}

export interface QueryPage {
  /** JSON texts */
  rows: string[];
  /** why there are more rows than these, undefined when there are none */
  more: 'default-limit' | 'unordered' | undefined;
}

/** The pages of a query, the first one only unless `all` is asked for. */
export async function* pagesOfQuery(context: Context, { sql, tz, all }: Query): AsyncGenerator<QueryPage> {
  let page: string | undefined;
  do {
    const call = mqlQuery({
      client: context.api(),
      query: { q: sql, ...(tz === undefined ? {} : { tz }), ...(page === undefined ? {} : { page }) },
      // Rows stay text: numbers keep every digit of the database.
      parseAs: 'text',
    });
    const text = (await answer(call)) as unknown as string;
    const { headers } = (await call).response;
    page = nextPage(headers.get('link'));
    const unordered = headers.get('mql-pagination-error') === 'ORDER_BY_MISSING';
    if (all && unordered && headers.has('mql-default-limit-applied'))
      throw new Failure(
        'ORDER_BY_MISSING',
        'there are more rows than one page, and no order to page by',
        'add ORDER BY',
      );
    // A LIMIT of the query is what was asked for, no size of pages.
    const isDefault = headers.has('mql-default-limit-applied');
    if (!isDefault) page = undefined;
    yield {
      rows: elementsOf(text),
      more: !isDefault ? undefined : unordered ? 'unordered' : 'default-limit',
    };
  } while (all && page !== undefined);
}

/** The token in a Link header; its address is the one browsers use and may not be ours. */
function nextPage(link: string | null): string | undefined {
  const target = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
  return target === undefined ? undefined : (new URL(target).searchParams.get('page') ?? undefined);
}
