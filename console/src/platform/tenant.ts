import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { usePathIds } from './address';
import { tenantsListOfCallerOptions, type TenantView } from './client';

const STORED = 'console-tenant';
const listeners = new Set<() => void>();
let chosen = localStorage.getItem(STORED) ?? undefined;

function choose(tenantId: string): void {
  if (chosen === tenantId) return;
  chosen = tenantId;
  localStorage.setItem(STORED, tenantId);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The tenants of the signed-in user. */
export const tenantsQuery = () => ({ ...tenantsListOfCallerOptions(), staleTime: 60_000 });

/** Tenants of the signed-in user, and the one that pages without a tenant in their address are about. */
export function useTenants(): { tenants: TenantView[]; tenant: TenantView | undefined; isLoaded: boolean } {
  const { data } = useQuery(tenantsQuery());
  const last = useSyncExternalStore(subscribe, () => chosen);
  const inPath = usePathIds()['tenantId'];
  const tenants = data?.results ?? [];
  const byId = (id: string | undefined): TenantView | undefined => tenants.find((tenant) => tenant.id === id);
  return { tenants, tenant: byId(inPath) ?? byId(last) ?? tenants[0], isLoaded: data !== undefined };
}

/** Makes the tenant of the object on this page the chosen one. */
export function useTenantOf(tenantId: string | undefined): void {
  useEffect(() => {
    if (tenantId !== undefined) choose(tenantId);
  }, [tenantId]);
}
