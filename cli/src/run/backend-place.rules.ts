import { Failure } from '../failure.js';

/** Group and workspace of a state, as they stand in the address of its backend. */
export interface BackendPlace {
  group_id: string;
  workspace: string;
}

const PATH = /^\/api\/v1\/states\/backend\/([0-9a-f-]{36})(?:\/([^/]+))?\/?$/i;

/** Undefined when the address says nothing; one of another service is refused, for the state would be another one. */
export function backendPlace(address: unknown, service: string): BackendPlace | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const base = new URL(service);
  const prefix = base.pathname.replace(/\/$/, '');
  const found = url.pathname.startsWith(prefix) ? PATH.exec(url.pathname.slice(prefix.length)) : null;
  if (!found) return undefined;
  if (url.host !== base.host) {
    throw new Failure(
      'OTHER_SERVICE',
      `the backend is at ${url.host}, not at ${base.host}`,
      'give --state, or --api-base',
    );
  }
  return { group_id: (found[1] ?? '').toLowerCase(), workspace: decodeURIComponent(found[2] ?? 'default') };
}
