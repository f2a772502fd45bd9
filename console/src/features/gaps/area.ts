import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'Gap analysis', to: '/tenants/$tenantId/gaps', order: 45 }],
  routes: [
    { path: '/tenants/$tenantId/gaps', page: () => import('./gaps-page').then((part) => part.GapsPage) },
  ],
};
