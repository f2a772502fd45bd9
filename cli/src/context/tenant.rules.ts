import { Failure } from '../failure.js';
import { isUuid } from '../service/uuid.js';

interface Named {
  id: string;
  name: string;
}

/**
 * By id or name; the only one when none is named. An id that is not among them is passed on: administrators of the
 * installation reach tenants they are no members of.
 */
export function chooseTenant(tenants: readonly Named[], wanted: string | undefined): Named {
  const names = tenants.map(({ name }) => name).join(', ');
  if (wanted === undefined) {
    const [only, ...others] = tenants;
    if (only && others.length === 0) return only;
    if (!only) throw new Failure('NO_TENANT', 'this credential has access to no tenant');
    throw new Failure(
      'TENANT_NEEDED',
      `this credential reaches several tenants: ${names}`,
      'name one with --tenant or INFRASTATE_TENANT_ID',
    );
  }
  const found =
    tenants.find(({ id }) => id === wanted.toLowerCase()) ?? tenants.find(({ name }) => name === wanted);
  if (!found && isUuid(wanted)) return { id: wanted.toLowerCase(), name: wanted.toLowerCase() };
  if (!found) throw new Failure('TENANT_UNKNOWN', `no tenant "${wanted}"; there are: ${names}`);
  return found;
}
