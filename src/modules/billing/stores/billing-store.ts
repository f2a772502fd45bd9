import type { Readable } from 'node:stream';

/** A file of a bucket or folder. */
export interface StoredObject {
  name: string;
  size: number;
  /** milliseconds since 1970 */
  modifiedAt: number;
}

/** Where billing files lie. Both calls throw a `StoreFailure` for what the operator or the tenant can mend. */
export interface BillingStore {
  /** objects whose names match the path of the address, in no order; at most `MAX_LISTED_OBJECTS` are looked at */
  list(signal: AbortSignal): Promise<StoredObject[]>;
  open(object: StoredObject, signal: AbortSignal): Promise<Readable>;
}

export const MAX_LISTED_OBJECTS = 100_000;
export const REQUEST_TIMEOUT_MS = 30_000;

/** A reason that users are shown: it quotes no content, signature, header or stack of the store. */
export class StoreFailure extends Error {}

export const storeFailures = {
  gone: () => new StoreFailure('the bucket or folder does not exist'),
  denied: () => new StoreFailure("the store denied access to the server's credentials"),
  unconfigured: (what: string) => new StoreFailure(`the server has no credentials for ${what}`),
  slow: () => new StoreFailure('the store did not answer in time'),
  tooMany: () =>
    new StoreFailure(`the address has more than ${MAX_LISTED_OBJECTS} objects below its fixed part`),
  unreachable: (status?: number) =>
    new StoreFailure(`the store could not be read${status === undefined ? '' : ` (status ${status})`}`),
};

/** What a status of a store's HTTP interface means. */
export function failureOfStatus(status: number): StoreFailure {
  if (status === 401 || status === 403) return storeFailures.denied();
  if (status === 404) return storeFailures.gone();
  if (status === 408 || status === 504) return storeFailures.slow();
  return storeFailures.unreachable(status);
}
