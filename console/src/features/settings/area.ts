import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'Settings', to: '/settings', order: 80, covers: ['/tenants/$tenantId/settings'] }],
  commands: [{ label: 'Tenant settings', to: '/tenants/$tenantId/settings' }],
  routes: [
    { path: '/settings', page: () => import('./settings-page').then((part) => part.SettingsPage) },
    {
      path: '/tenants/$tenantId/settings',
      page: () => import('./tenant-settings-page').then((part) => part.TenantSettingsPage),
    },
  ],
};
