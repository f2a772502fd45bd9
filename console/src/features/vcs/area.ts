import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'Installations', to: '/tenants/$tenantId/installations', order: 46 }],
  commands: [
    { label: 'Installations', to: '/tenants/$tenantId/installations' },
    {
      label: 'Webhook deliveries',
      to: '/tenants/$tenantId/installations/deliveries',
      needs: { capability: 'admin', scope: 'tenant' },
    },
  ],
  installationTabs: [
    { label: 'Repositories', to: 'repositories', order: 10 },
    { label: 'Pull requests', to: 'pull-requests', order: 20 },
  ],
  routes: [
    {
      path: '/tenants/$tenantId/installations',
      page: () => import('./installations-page').then((part) => part.InstallationsPage),
    },
    {
      path: '/tenants/$tenantId/installations/deliveries',
      page: () => import('./deliveries-page').then((part) => part.DeliveriesPage),
    },
    {
      path: '/installations/$vcs/$installationId/repositories',
      page: () => import('./repositories-page').then((part) => part.RepositoriesPage),
    },
    {
      path: '/installations/$vcs/$installationId/pull-requests',
      page: () => import('./pull-requests-page').then((part) => part.PullRequestsPage),
    },
  ],
};
