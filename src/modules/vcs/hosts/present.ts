import { vcsErrors } from '../vcs.errors.js';

/** What an answer of a code host must have; 502 without. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw vcsErrors.PROVIDER_REFUSED('the answer of the code host is incomplete');
  return value;
}

/** Without the entries that could not be understood. */
export function presentItems<T>(items: readonly (T | undefined)[]): T[] {
  return items.filter((item) => item !== undefined);
}
