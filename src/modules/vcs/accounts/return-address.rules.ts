import { ownDestination } from '../../../platform/http/index.js';

/** Where the browser goes back to: on this service only, with what became of the attempt when it failed. */
export function returnAddress(
  rd: string | undefined,
  uiBase: string,
  failure?: { parameter: string; value: string },
): string {
  const target = ownDestination(rd, uiBase);
  if (!failure) return target;
  const isPath = target.startsWith('/');
  const url = new URL(target, uiBase);
  url.searchParams.set(failure.parameter, failure.value);
  return isPath ? `${url.pathname}${url.search}${url.hash}` : url.href;
}
