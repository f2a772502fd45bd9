import type { Area } from '../../platform/area';

export const area: Area = {
  navigation: [{ label: 'Transactions', to: '/tenants/$tenantId/transactions', order: 30 }],
  transactionFrame: () => import('./transaction-frame').then((part) => part.TransactionFrame),
  transactionTabs: [
    { label: 'Plan', to: '', order: 10 },
    { label: 'Output', to: 'output', order: 20 },
    { label: 'Log', to: 'log', order: 30 },
    { label: 'Conflicts', to: 'conflicts', order: 40 },
  ],
  routes: [
    {
      path: '/tenants/$tenantId/transactions',
      page: () => import('./transactions-page').then((part) => part.TransactionsPage),
    },
    { path: '/transactions/$txId', page: () => import('./plan-page').then((part) => part.PlanPage) },
    {
      path: '/transactions/$txId/output',
      page: () => import('./output-page').then((part) => part.OutputPage),
    },
    { path: '/transactions/$txId/log', page: () => import('./log-page').then((part) => part.LogPage) },
    {
      path: '/transactions/$txId/conflicts',
      page: () => import('./conflicts-page').then((part) => part.ConflictsPage),
    },
  ],
  dashboardCards: [
    {
      title: 'Recent transactions',
      order: 40,
      card: () => import('./recent-card').then((part) => part.RecentCard),
    },
  ],
};
