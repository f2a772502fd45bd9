import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [
    { label: 'Users', to: '/users', order: 75, needs: { capability: 'users-manage', scope: 'installation' } },
  ],
  routes: [{ path: '/users', page: () => import('./users-page').then((part) => part.UsersPage) }],
};
