import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [
    {
      label: 'Members',
      to: '/tenants/$tenantId/members',
      order: 50,
      covers: ['/tenants/$tenantId/invitations', '/tenants/$tenantId/group-rules'],
      needs: { capability: 'users-manage', scope: 'tenant' },
    },
  ],
  commands: [
    {
      label: 'Invitations',
      to: '/tenants/$tenantId/invitations',
      needs: { capability: 'users-manage', scope: 'tenant' },
    },
    {
      label: 'Group rules',
      to: '/tenants/$tenantId/group-rules',
      needs: { capability: 'admin', scope: 'tenant' },
    },
  ],
  routes: [
    {
      path: '/tenants/$tenantId/members',
      page: () => import('./members-page').then((part) => part.MembersPage),
    },
    {
      path: '/tenants/$tenantId/invitations',
      page: () => import('./invitations-page').then((part) => part.InvitationsPage),
    },
    {
      path: '/tenants/$tenantId/group-rules',
      page: () => import('./group-rules-page').then((part) => part.GroupRulesPage),
    },
    {
      path: '/invitations/accept',
      isPublic: true,
      page: () => import('./accept-invitation-page').then((part) => part.AcceptInvitationPage),
    },
  ],
};
