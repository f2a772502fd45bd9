import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [
    { label: 'Security', to: '/tenants/$tenantId/security', order: 45, needs: { flag: 'security' } },
  ],
  commands: [{ label: 'Security checks', to: '/tenants/$tenantId/security/checks' }],
  stateTabs: [{ label: 'Security', to: 'security', order: 75, needs: { flag: 'security' } }],
  transactionTabs: [{ label: 'Security', to: 'security', order: 50, needs: { flag: 'security' } }],
  routes: [
    {
      path: '/tenants/$tenantId/security',
      page: () => import('./tenant-security-page').then((part) => part.TenantSecurityPage),
    },
    {
      path: '/tenants/$tenantId/security/checks',
      page: () => import('./checks-page').then((part) => part.ChecksPage),
    },
    {
      path: '/states/$stateId/security',
      page: () => import('./state-security-page').then((part) => part.StateSecurityPage),
    },
    {
      path: '/transactions/$txId/security',
      page: () => import('./transaction-security-page').then((part) => part.TransactionSecurityPage),
    },
  ],
};
