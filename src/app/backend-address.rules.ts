import { isUuid } from '../platform/text/uuid.js';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'LOCK', 'UNLOCK']);
const ROUTE = '/api/v1/states/backend/';

/** Whether a request that no route serves was probably meant for a state's backend. */
export function looksLikeBackend(method: string, path: string): boolean {
  if (!METHODS.has(method)) return false;
  if (method === 'LOCK' || method === 'UNLOCK') return true;
  const segments = segmentsOf(path);
  return segments.includes('backend') || segments.slice(-2).some(isUuid);
}

/** Whether a path is that of a backend: what it answers is meant for Terraform. */
export function isBackendAddress(path: string): boolean {
  return path.toLowerCase().startsWith(ROUTE);
}

/** The address that was probably meant, with the group and workspace that can be read from the mistyped one. */
export function backendAddressFor(base: string, path: string): string {
  const segments = segmentsOf(path);
  const at = segments.findLastIndex(isUuid);
  const group = segments[at] ?? '<group id>';
  const workspace = at >= 0 && segments[at + 1] !== undefined ? `/${segments[at + 1]}` : '[/<workspace>]';
  return `${base.replace(/\/+$/, '')}${ROUTE}${group}${workspace}`;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}
