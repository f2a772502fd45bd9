import { bodyOf } from './connect.js';
import type { Client } from './generated/client/index.js';

interface PagedOptions {
  client?: Client;
  query?: object | undefined;
}

/** The functions of lists, whatever they are called with. */
type ListFunction<Options extends PagedOptions, Body> = (
  options: Options,
) => Promise<{ data: Body | undefined; response: Response }>;

/** The rows of a list: its own elements, `results`, or its one property that is a list. */
export type RowOf<Body> = Body extends readonly (infer Row)[]
  ? Row
  : Body extends { results: readonly (infer Row)[] }
    ? Row
    : ListsOf<Body> extends readonly (infer Row)[]
      ? Row
      : never;
type ListsOf<Body> = {
  [Name in keyof Body]: Body[Name] extends readonly unknown[] ? Body[Name] : never;
}[keyof Body];

/**
 * Every row of a list, page after page: `for await (const state of pages(tenantStatesList, { client, path })) …`.
 * Follows `next_page`, `next_cursor` and `Link` headers. Stop with `break`.
 */
export async function* pages<Options extends PagedOptions, Body>(
  list: ListFunction<Options, Body>,
  options: Options,
): AsyncGenerator<RowOf<Body>> {
  let query: Record<string, unknown> = { ...options.query };
  for (;;) {
    const call = list({ ...options, query } as Options);
    const body: unknown = await bodyOf(call);
    yield* rowsOf(body) as RowOf<Body>[];
    const next = nextOf(body, (await call).response);
    if (next === undefined) return;
    query = { ...query, ...next };
  }
}

function rowsOf(body: unknown): unknown[] {
  if (Array.isArray(body)) return body;
  const members = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const named = members['results'];
  if (Array.isArray(named)) return named;
  return Object.values(members).find((value): value is unknown[] => Array.isArray(value)) ?? [];
}

/** What the query of the next page has besides; undefined at the end. */
function nextOf(body: unknown, response: Response): Record<string, string> | undefined {
  const { next_page: page, next_cursor: cursor } = (body ?? {}) as Record<string, unknown>;
  if (typeof page === 'string') return { page };
  if (typeof cursor === 'string') return { cursor };
  if (!Array.isArray(body)) return undefined;
  const address = /<([^>]+)>;\s*rel="?next"?/.exec(response.headers.get('link') ?? '')?.[1];
  const token = address === undefined ? null : new URL(address, 'http://localhost').searchParams.get('page');
  return token === null ? undefined : { page: token };
}
