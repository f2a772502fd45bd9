import { CloudFailure, type ScanPosition } from './cloud-inventory.js';
import { SeenTokens } from './seen-tokens.js';

export interface ListedPage<Items> {
  items: Items;
  /** token of the next page, as the cloud wrote it */
  next: unknown;
}

/** What clouds answer to a page token that expired. */
const REFUSED_TOKENS: ReadonlySet<string> = new Set([
  ...['ValidationException', 'INVALID_ARGUMENT', 'BadRequest', 'InvalidSkipToken', 'InvalidPaginationToken'],
]);
const MAX_RESTARTS = 2;
/** Ten million resources. A listing with more pages is not valid. */
const MAX_PAGES = 10_000;

/** A page with the token of the next one; null: it is the last page. */
export interface FollowedPage<Items> {
  items: Items;
  next: string | null;
}

/**
 * All pages of a listing, or those from a page token on. When a token expires meanwhile, the listing starts again from its
 * first page, so items can come twice. `action`: what failures name.
 */
export async function* listedPages<Items>(
  action: string,
  read: (token: string | undefined) => Promise<ListedPage<Items>>,
  from?: string,
): AsyncGenerator<FollowedPage<Items>, void> {
  let pages = 0;
  for (let restarts = 0; ; restarts += 1) {
    const tokens = new SeenTokens(action);
    let token = restarts === 0 ? from : undefined;
    try {
      do {
        if (++pages > MAX_PAGES)
          throw new CloudFailure('INVALID_RESPONSE', { action, message: 'the cloud listed too many pages' });
        const { items, next } = await read(token);
        token = tokens.next(next);
        yield { items, next: token ?? null };
      } while (token !== undefined);
      return;
    } catch (error) {
      if (token === undefined || restarts >= MAX_RESTARTS || !isRefusedToken(error)) throw error;
    }
  }
}

/**
 * The remaining listings of a scan, each with the page to begin with. If the listing of the position does not exist any more,
 * all listings are read again, and stored resources stay unchanged.
 */
export function listingsFrom<Part>(
  parts: readonly Part[],
  nameOf: (part: Part) => string,
  from: ScanPosition | undefined,
): { part: Part; page: string | undefined }[] {
  const at = parts.findIndex((part) => nameOf(part) === from?.listing);
  if (from === undefined || at < 0) return parts.map((part) => ({ part, page: undefined }));
  const left = from.page === null ? parts.slice(at + 1) : parts.slice(at);
  return left.map((part, index) => ({
    part,
    page: index === 0 && from.page !== null ? from.page : undefined,
  }));
}

function isRefusedToken(error: unknown): boolean {
  return error instanceof CloudFailure && REFUSED_TOKENS.has(error.view.cloud_code ?? '');
}
