import type { Area } from '../../platform/area';

export const area: Area = {
  stateTabs: [
    { label: 'Instances', to: 'instances', order: 20 },
    { label: 'Modules', to: 'modules', order: 30 },
    { label: 'Outputs', to: 'outputs', order: 40 },
    { label: 'Graph', to: 'graph', order: 70 },
  ],
  routes: [
    {
      path: '/states/$stateId/instances',
      page: () => import('./instances-page').then((part) => part.InstancesPage),
    },
    {
      path: '/states/$stateId/modules',
      page: () => import('./modules-page').then((part) => part.ModulesPage),
    },
    {
      path: '/states/$stateId/outputs',
      page: () => import('./outputs-page').then((part) => part.OutputsPage),
    },
    { path: '/states/$stateId/graph', page: () => import('./graph-page').then((part) => part.GraphPage) },
  ],
  dashboardCards: [
    { title: 'Estate', order: 10, card: () => import('./estate-card').then((part) => part.EstateCard) },
    {
      title: 'Providers and types',
      order: 20,
      card: () => import('./shares-card').then((part) => part.SharesCard),
    },
  ],
};
