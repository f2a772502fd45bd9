import type { Area } from '../../platform/area';

export const area: Area = {
  routes: [
    { path: '/login', isPublic: true, page: () => import('./login-page').then((part) => part.LoginPage) },
    { path: '/setup', isPublic: true, page: () => import('./setup-page').then((part) => part.SetupPage) },
  ],
};
