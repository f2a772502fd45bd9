import { useInfiniteQuery } from '@tanstack/react-query';
import { useAllowed } from '../../platform/access';
import { PageLink, usePathId } from '../../platform/address';
import { auditListInfiniteOptions, auditListOfTenantInfiniteOptions, BY_CURSOR } from '../../platform/client';
import { Page } from '../../platform/page';
import { useTenants } from '../../platform/tenant';
import { AuditFilters, AuditListing, useAuditFilters } from './audit-list';

/** Who did what in a tenant. */
export function TenantAuditPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const mayAll = useAllowed({ capability: 'admin' });
  const filters = useAuditFilters();
  const query = useInfiniteQuery({
    ...auditListOfTenantInfiniteOptions({ path: { tenantId }, query: { ...filters.query, limit: 100 } }),
    ...BY_CURSOR,
  });
  return (
    <Page
      title="Audit"
      object={tenant?.name}
      actions={mayAll && <PageLink to="/audit">Audit of the installation</PageLink>}
    >
      <AuditFilters filters={filters} />
      <AuditListing query={query} isFiltered={filters.isFiltered} />
    </Page>
  );
}

/** Who did what in the whole installation. */
export function InstallationAuditPage() {
  const filters = useAuditFilters();
  const query = useInfiniteQuery({
    ...auditListInfiniteOptions({ query: { ...filters.query, limit: 100 } }),
    ...BY_CURSOR,
  });
  return (
    <Page title="Audit of the installation">
      <AuditFilters filters={filters} />
      <AuditListing query={query} isFiltered={filters.isFiltered} />
    </Page>
  );
}
