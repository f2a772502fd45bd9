import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'Dashboard', to: '/tenants/$tenantId', order: 10 }],
  routes: [
    {
      path: '/tenants/$tenantId',
      page: () => import('./dashboard-page').then((part) => part.DashboardPage),
      shows: 'dashboardCards',
    },
  ],
};
