import { createContext, useContext } from 'react';
import { allows, type Flag, type Grants, useFlags, useGrants } from './access';
import type { Area, Needs } from './area';

/** Everything that the areas of the build add, in order. */
export interface Registry {
  areas: readonly Area[];
}

const RegistryContext = createContext<Registry>({ areas: [] });
export const RegistryProvider = RegistryContext.Provider;

type ListOf =
  | 'navigation'
  | 'stateTabs'
  | 'transactionTabs'
  | 'installationTabs'
  | 'dashboardCards'
  | 'commands';
type Entry<K extends ListOf> = NonNullable<Area[K]>[number];

/** Entries of one kind that the signed-in user can use here. */
export function useEntries<K extends ListOf>(
  kind: K,
  where: { tenantId?: string; stateId?: string } = {},
): Entry<K>[] {
  const { areas } = useContext(RegistryContext);
  const [grants, flags] = [useGrants(), useFlags()];
  const entries = areas.flatMap((area) => [...((area[kind] ?? []) as readonly Entry<K>[])]);
  return entries
    .filter((entry) => meets(entry.needs, { grants, flags, ...where }))
    .sort((a, b) => orderOf(a) - orderOf(b));
}

function orderOf(entry: { order?: number } | object): number {
  return 'order' in entry && typeof entry.order === 'number' ? entry.order : 0;
}

interface Situation {
  grants: Grants;
  flags: Record<Flag, boolean>;
  tenantId?: string;
  stateId?: string;
}

/** Whether an entry's needs are met. */
export function meets(needs: Needs | undefined, { grants, flags, tenantId, stateId }: Situation): boolean {
  if (!needs) return true;
  if (needs.flag !== undefined && !flags[needs.flag]) return false;
  if (needs.capability === undefined) return true;
  const place = {
    installation: {},
    tenant: { tenantId },
    state: { tenantId, stateId },
    anywhere: { anywhere: true },
  }[needs.scope ?? 'installation'];
  return allows(grants, { capability: needs.capability, ...place });
}
