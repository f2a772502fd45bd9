import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'API reference', to: '/reference', order: 90 }],
  routes: [{ path: '/reference', page: () => import('./reference-page').then((part) => part.ReferencePage) }],
};
