import type { AllowedSource } from '../../../platform/config/index.js';
import type { SourceAddress } from '../stores/source-address.rules.js';

export interface PermissionQuestion {
  tenantId: string;
  uri: string;
  address: SourceAddress;
  /** an installation administrator named it */
  isOperators: boolean;
}

/** Whether the server's credentials may be used for the address on behalf of the tenant. */
export function isSourceAllowed(
  { tenantId, uri, address, isOperators }: PermissionQuestion,
  settings: { allowed: readonly AllowedSource[]; fileRoot: string | undefined },
): boolean {
  if (address.store === 'file') {
    if (settings.fileRoot === undefined) return false;
    const root = settings.fileRoot.replace(/\/+$/, '');
    if (!address.path.startsWith(`${root}/`)) return false;
    if (isOperators || address.path.startsWith(`${root}/${tenantId}/`)) return true;
  } else if (isOperators) return true;
  return settings.allowed.some(
    ({ prefix, tenantId: only }) =>
      (only === undefined || only === tenantId) && (uri === prefix || uri.startsWith(`${prefix}/`)),
  );
}
