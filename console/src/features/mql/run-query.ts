import { AS_TEXT, losslessly, mqlQuery } from '../../platform/client';

export type Row = Record<string, unknown>;

export interface QueryResult {
  rows: Row[];
  columns: string[];
  /** rows as they came */
  text: string;
  next: string | undefined;
  previous: string | undefined;
  /** how many rows the default limit left */
  cutAt: string | undefined;
  /** why there are no pages, in words */
  pagingHint: string | undefined;
}

/** Runs one query; numbers keep every digit. */
export async function runQuery(
  q: string,
  page: string | undefined,
  signal: AbortSignal,
): Promise<QueryResult> {
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { data, response } = await mqlQuery({
    query: { q, page, tz },
    signal,
    ...AS_TEXT,
    throwOnError: true,
  });
  const text = typeof data === 'string' ? data : '[]';
  const rows = losslessly(text) as unknown as Row[];
  const links = response.headers.get('Link') ?? '';
  return {
    rows,
    columns: [...new Set(rows.flatMap((row) => Object.keys(row)))],
    text,
    next: pageOf(links, 'next'),
    previous: pageOf(links, 'prev'),
    cutAt: response.headers.get('mql-default-limit-applied') ?? undefined,
    pagingHint: hintOf(response.headers.get('mql-pagination-error')),
  };
}

/** Token of a page in a Link header. */
export function pageOf(links: string, rel: string): string | undefined {
  for (const [, address, name] of links.matchAll(/<([^>]*)>\s*;[^,]*?rel="?([a-z]+)"?/g))
    if (name === rel && address !== undefined) {
      const query = address.slice(address.indexOf('?') + 1);
      return new URLSearchParams(query).get('page') ?? undefined;
    }
  return undefined;
}

function hintOf(error: string | null): string | undefined {
  return error === 'ORDER_BY_MISSING' ? 'Add ORDER BY to page through more rows.' : undefined;
}
