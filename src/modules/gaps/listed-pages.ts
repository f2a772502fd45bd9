import { CloudFailure } from './cloud-inventory.js';
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
/** Ten million resources. A cloud that goes on with new tokens sends nonsense. */
const MAX_PAGES = 10_000;

/**
 * All pages of a listing. When a page token expires meanwhile, the listing starts again from its first page, so items can
 * come twice. `action`: what failures name.
 */
export async function* listedPages<Items>(
  action: string,
  read: (token: string | undefined) => Promise<ListedPage<Items>>,
): AsyncGenerator<Items, void> {
  let pages = 0;
  for (let restarts = 0; ; restarts += 1) {
    const tokens = new SeenTokens(action);
    let token: string | undefined;
    try {
      do {
        if (++pages > MAX_PAGES)
          throw new CloudFailure('INVALID_RESPONSE', { action, message: 'the cloud listed too many pages' });
        const { items, next } = await read(token);
        yield items;
        token = tokens.next(next);
      } while (token !== undefined);
      return;
    } catch (error) {
      if (token === undefined || restarts >= MAX_RESTARTS || !isRefusedToken(error)) throw error;
    }
  }
}

function isRefusedToken(error: unknown): boolean {
  return error instanceof CloudFailure && REFUSED_TOKENS.has(error.view.cloud_code ?? '');
}
