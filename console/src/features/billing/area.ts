import type { Area } from '../../platform/area';

const needs = { flag: 'costs' } as const;

export const area: Area = {
  routes: [
    {
      path: '/tenants/$tenantId/spend',
      page: () => import('./spend-page').then((part) => part.SpendPage),
    },
    {
      path: '/tenants/$tenantId/billing-sources',
      page: () => import('./billing-sources-page').then((part) => part.BillingSourcesPage),
    },
  ],
  commands: [
    { label: 'Spend', to: '/tenants/$tenantId/spend', needs },
    {
      label: 'Billing sources',
      to: '/tenants/$tenantId/billing-sources',
      needs: { ...needs, capability: 'admin', scope: 'tenant' },
    },
  ],
};
