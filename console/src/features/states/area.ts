import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'States', to: '/tenants/$tenantId/states', order: 20 }],
  stateFrame: () => import('./state-frame').then((part) => part.StateFrame),
  stateTabs: [
    { label: 'Overview', to: '', order: 10 },
    { label: 'Versions', to: 'versions', order: 50 },
    { label: 'Submissions', to: 'submissions', order: 60 },
    { label: 'Connect', to: 'connect', order: 80 },
    { label: 'Settings', to: 'settings', order: 90 },
  ],
  routes: [
    {
      path: '/tenants/$tenantId/states',
      page: () => import('./states-page').then((part) => part.StatesPage),
    },
    { path: '/states/$stateId', page: () => import('./overview-page').then((part) => part.OverviewPage) },
    {
      path: '/states/$stateId/versions',
      page: () => import('./versions-page').then((part) => part.VersionsPage),
    },
    {
      path: '/states/$stateId/versions/$from/diff/$to',
      page: () => import('./compare-page').then((part) => part.ComparePage),
    },
    {
      path: '/states/$stateId/submissions',
      page: () => import('./submissions-page').then((part) => part.SubmissionsPage),
    },
    {
      path: '/states/$stateId/submissions/$submissionId/diff',
      page: () => import('./submission-compare-page').then((part) => part.SubmissionComparePage),
    },
    {
      path: '/states/$stateId/connect',
      page: () => import('./connect-page').then((part) => part.ConnectPage),
    },
    {
      path: '/states/$stateId/settings',
      page: () => import('./state-settings-page').then((part) => part.StateSettingsPage),
    },
  ],
  dashboardCards: [
    {
      title: 'Refused submissions',
      order: 40,
      card: () => import('./refused-submissions-card').then((part) => part.RefusedSubmissionsCard),
    },
    { title: 'Held locks', order: 50, card: () => import('./locks-card').then((part) => part.LocksCard) },
  ],
};
