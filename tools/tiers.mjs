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
