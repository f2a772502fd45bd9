/** A module imports only modules of lower tiers. Lowest first; dependency-cruiser and the module map read this. */
export const TIERS = [
  ['access'],
  ['audit'],
  ['capabilities', 'tenants', 'tasks', 'documents', 'tag-query', 'pricing'],
  ['users', 'states', 'repo-config'],
  ['tokens', 'membership', 'graph', 'mql', 'configurations'],
  ['auth', 'transactions', 'vcs', 'cloud-ids'],
  ['actuator', 'costs', 'security', 'gaps', 'kv'],
  ['billing', 'orchestration'],
  ['server', 'console'],
];

/** Folders of a module, in an order in which each imports only later ones. */
export const ROOMS = {
  costs: ['upkeep', 'plans', 'reports', 'snapshots', 'instances', 'books'],
  states: ['backend', 'history', 'editing', 'writing', 'merging', 'publishing', 'chunks'],
  graph: ['reach', 'instances', 'summaries', 'projection', 'topology'],
  mql: ['execution', 'paging', 'analysis', 'tables'],
  transactions: ['steps', 'revisions', 'conflicts', 'log'],
  billing: ['syncing', 'sources', 'spend', 'reading', 'stores'],
  vcs: ['webhooks', 'repositories', 'installations', 'accounts', 'hosts'],
  orchestration: [
    'overview',
    'dispatching',
    'drift',
    'reacting',
    'running',
    'records',
    'commands',
    'reporting',
    'planning',
    'runs',
  ],
  gaps: ['comparison', 'scanning', 'settings', 'importing', 'inventory', 'providers', 'targets', 'clouds'],
  pricing: ['aws', 'azure', 'google', 'lists'],
  security: ['scanning', 'impact', 'waivers', 'findings', 'reachability', 'checks', 'engine'],
};
