import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'API keys', to: '/keys', order: 60 }],
  routes: [{ path: '/keys', page: () => import('./keys-page').then((part) => part.KeysPage) }],
};
