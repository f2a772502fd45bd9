import type { Area } from '../../platform/area';

export const area: Area = {
  routes: [
    {
      path: '/installations/$vcs/$installationId/kv',
      page: () => import('./kv-page').then((part) => part.KvPage),
    },
  ],
};
