const TEXTS: Readonly<Record<string, string>> = {
  actuator: 'What a runner needs for its step of a transaction, and what it reports.',
  audit: 'Who did what.',
  backend:
    "The address of Terraform's `http` backend. It also takes LOCK and UNLOCK, which OpenAPI cannot describe as " +
    'operations: `x-lock` and `x-unlock` of each path describe them. Both take the lock as a JSON object with `ID`; ' +
    'LOCK answers 200, or 423 with the lock of its holder; UNLOCK answers 200, or 409 when another run holds the lock.',
  billing: 'Bills: where they are read from, and which instances caused them.',
  capabilities: 'What new users may do, and rules that grant capabilities to groups.',
  'code hosting': 'Installations at code hosts, their repositories, pull requests and webhooks.',
  'gap analysis': 'Cloud resources that no state manages, and configuration that imports them.',
  graph: 'Instances, dependencies, modules, outputs and summaries of current documents.',
  health: 'Probes of the process.',
  invitations: 'Invitations into a tenant.',
  'key-value store': 'Small records that belong to a state or a tenant.',
  members: 'Members of a tenant.',
  mql: 'SQL over states, resources, transactions and more.',
  server: 'Version, flags and description of the service.',
  setup: 'First-time setup of an installation.',
  'sign-in': 'Sessions by password and single sign-on.',
  states: 'States, their locks and their documents.',
  tasks: 'Long-running work.',
  tenants: 'Tenants of the installation.',
  tokens: 'API keys, service accounts and refresh tokens.',
  transactions: 'Units of change over one or more states.',
  users: 'Users of the installation.',
  versions: 'History of a state: versions, comparisons and submissions.',
};

/** The tags that operations use, with what they are for. */
export function describeTags(names: Iterable<string>): { name: string; description: string }[] {
  return [...new Set(names)]
    .sort()
    .map((name) => ({ name, description: TEXTS[name] ?? `Operations of ${name}.` }));
}
