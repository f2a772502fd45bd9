import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [
    {
      label: 'Audit',
      to: '/tenants/$tenantId/audit',
      order: 70,
      covers: ['/audit'],
      needs: { capability: 'admin', scope: 'tenant' },
    },
  ],
  commands: [
    {
      label: 'Audit of the installation',
      to: '/audit',
      needs: { capability: 'admin', scope: 'installation' },
    },
  ],
  routes: [
    {
      path: '/tenants/$tenantId/audit',
      page: () => import('./audit-pages').then((part) => part.TenantAuditPage),
    },
    { path: '/audit', page: () => import('./audit-pages').then((part) => part.InstallationAuditPage) },
  ],
};
