import type { Area } from '../../platform/area';

export const area: Area = {
  installationTabs: [{ label: 'Key-value store', to: 'kv', order: 50 }],
  routes: [
    {
      path: '/installations/$vcs/$installationId/kv',
      page: () => import('./kv-page').then((part) => part.KvPage),
    },
  ],
};
