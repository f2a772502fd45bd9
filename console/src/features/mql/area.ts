import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'SQL', to: '/sql', order: 40 }],
  routes: [{ path: '/sql', page: () => import('./sql-page').then((part) => part.SqlPage) }],
};
