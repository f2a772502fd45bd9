import type { Area } from '../../platform/area';

const needs = { flag: 'costs' } as const;

export const area: Area = {
  navigation: [{ label: 'Costs', to: '/tenants/$tenantId/costs', order: 45, needs }],
  stateTabs: [{ label: 'Costs', to: 'costs', order: 72, needs }],
  transactionTabs: [{ label: 'Cost', to: 'costs', order: 15, needs }],
  routes: [
    {
      path: '/tenants/$tenantId/costs',
      page: () => import('./tenant-costs-page').then((part) => part.TenantCostsPage),
    },
    {
      path: '/states/$stateId/costs',
      page: () => import('./state-costs-page').then((part) => part.StateCostsPage),
    },
    {
      path: '/transactions/$txId/costs',
      page: () => import('./transaction-costs-page').then((part) => part.TransactionCostsPage),
    },
  ],
  commands: [{ label: 'Costs of the tenant', to: '/tenants/$tenantId/costs', needs }],
};
