import type { Area } from '../../platform/area';

export const area: Area = {
  installationTabs: [
    { label: 'Runs', to: 'runs', order: 30 },
    { label: 'Drift', to: 'drift', order: 40 },
  ],
  commands: [
    {
      label: 'Runner pools',
      to: '/tenants/$tenantId/runner-pools',
      needs: { capability: 'admin', scope: 'tenant' },
    },
  ],
  navigation: [
    {
      label: 'Runner pools',
      to: '/tenants/$tenantId/runner-pools',
      order: 47,
      needs: { capability: 'admin', scope: 'tenant' },
    },
  ],
  routes: [
    {
      path: '/installations/$vcs/$installationId/runs',
      page: () => import('./runs-page').then((part) => part.RunsPage),
    },
    {
      path: '/installations/$vcs/$installationId/runs/$workManifestId',
      page: () => import('./run-page').then((part) => part.RunPage),
    },
    {
      path: '/installations/$vcs/$installationId/pull-requests/$repoId/$pullNumber',
      page: () => import('./pull-request-page').then((part) => part.PullRequestPage),
    },
    {
      path: '/installations/$vcs/$installationId/drift',
      page: () => import('./drift-page').then((part) => part.DriftPage),
    },
    {
      path: '/tenants/$tenantId/runner-pools',
      page: () => import('./runner-pools-page').then((part) => part.RunnerPoolsPage),
    },
  ],
};
