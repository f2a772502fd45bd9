/** The tables of each module: only their owner writes them. `npm run lint` compares the list with the code and the migrations. */
export const OWNED = {
  access: ['rate_limits', 'signing_keys'],
  actuator: ['transaction_bundle_entries', 'transaction_bundles', 'transaction_report_parts'],
  audit: ['audit_entries'],
  auth: ['ended_sessions', 'session_rules', 'setup_completion', 'used_login_attempts'],
  billing: [
    'billed_resource_ids',
    'billed_resources',
    'billing_attributions',
    'billing_rematches',
    'billing_rows',
    'billing_sources',
  ],
  capabilities: ['capability_defaults', 'capability_group_rules', 'user_grants'],
  'cloud-ids': ['cloud_id_states', 'cloud_ids'],
  configurations: ['configuration_edges', 'state_configuration'],
  costs: [
    'cost_items',
    'cost_links',
    'cost_plans',
    'cost_snapshots',
    'cost_states',
    'cost_sums',
    'cost_usage',
  ],
  gaps: ['gap_inventory', 'gap_scans', 'gap_settings', 'gap_tenants'],
  graph: [
    'check_results',
    'config_dependencies',
    'instance_history',
    'instances',
    'modules',
    'output_sources',
    'outputs',
    'providers',
    'resources',
    'state_graphs',
    'state_links',
  ],
  kv: ['kv_records'],
  membership: ['invitation_sendings', 'invitations'],
  mql: ['query_catalog', 'query_scope_keys'],
  orchestration: [
    'comment_commands',
    'commit_artifacts',
    'dirspace_holds',
    'dirspace_modes',
    'drift_schedules',
    'gate_approvals',
    'gates',
    'plan_file_parts',
    'plan_files',
    'repository_state_groups',
    'run_log_chunks',
    'runner_pools',
    'running_dirspaces',
    'work_manifest_dirspaces',
    'work_manifest_outputs',
    'work_manifest_payloads',
    'work_manifest_states',
    'work_manifests',
  ],
  security: [
    'security_counts',
    'security_custom_checks',
    'security_days',
    'security_findings',
    'security_impacts',
    'security_losses',
    'security_planned_findings',
    'security_reach',
    'security_scan_transactions',
    'security_scans',
    'security_states',
    'security_waivers',
  ],
  states: [
    'state_bases',
    'state_changes',
    'state_chunks',
    'state_groups',
    'state_locks',
    'state_submissions',
    'state_version_times',
    'state_versions',
    'states',
  ],
  tasks: ['task_results', 'tasks'],
  tenants: ['tenant_members', 'tenants'],
  tokens: ['api_keys', 'refresh_tokens'],
  transactions: [
    'configuration_accesses',
    'state_revision_hashes',
    'state_revisions',
    'transaction_logs',
    'transaction_nodes',
    'transaction_output',
    'transaction_plan_operations',
    'transaction_plans',
    'transaction_reports',
    'transaction_revisions',
    'transaction_states',
    'transactions',
  ],
  users: ['users'],
  vcs: [
    'group_credentials',
    'installations',
    'linked_accounts',
    'pull_requests',
    'repositories',
    'used_authorizations',
    'webhook_deliveries',
    'webhook_lanes',
  ],
};

/** Tables that a module reads or locks although another one owns them, and why it does not ask the owner. */
export const READ = {
  access: [
    {
      tables: [
        'api_keys',
        'capability_defaults',
        'capability_group_rules',
        'ended_sessions',
        'session_rules',
        'tenant_members',
        'user_grants',
        'users',
      ],
      why: 'one statement for each request loads the caller with everything that limits the caller',
    },
  ],
  actuator: [
    {
      tables: ['tasks', 'transaction_states', 'transactions'],
      why: 'locks the step that waits for a runner in one statement',
    },
  ],
  billing: [
    { tables: ['cloud_ids', 'tenants'], why: 'matches millions of billed rows inside of the database' },
  ],
  capabilities: [
    { tables: ['tenant_members', 'users'], why: 'administrators are counted and locked in one statement' },
  ],
  'cloud-ids': [
    {
      tables: ['instances', 'state_changes', 'states'],
      why: 'ids are extracted from changed instances in bulk',
    },
  ],
  costs: [
    {
      tables: ['instances', 'state_changes', 'state_versions', 'states', 'transactions'],
      why: 'prices changed instances in bulk, as of one moment',
    },
    { tables: ['transaction_plans', 'transaction_states'], why: 'prices stored plans in bulk' },
  ],
  gaps: [{ tables: ['cloud_ids'], why: 'compares an inventory with the ids inside of the database' }],
  graph: [{ tables: ['states'], why: 'a search over an estate joins the names and tenants of its states' }],
  kv: [{ tables: ['installations'], why: 'rows of a scope are visible through its installation' }],
  membership: [
    { tables: ['tenant_members', 'users'], why: 'pages of members join their users' },
    { tables: ['tenants'], why: 'locks the row that serializes invitations' },
  ],
  mql: [
    {
      tables: [
        'instance_history',
        'instances',
        'output_sources',
        'resources',
        'state_version_times',
        'states',
        'tenant_members',
      ],
      why: 'the queryable tables are views of them',
    },
  ],
  orchestration: [
    {
      tables: ['installations', 'pull_requests', 'repositories'],
      why: 'claims runs, and shows them, together with where they run',
    },
  ],
  security: [
    {
      tables: [
        'instance_history',
        'instances',
        'output_sources',
        'state_changes',
        'state_graphs',
        'state_links',
        'state_versions',
        'states',
        'transactions',
      ],
      why: 'checks changed instances in bulk, as of one moment',
    },
    {
      tables: ['transaction_logs', 'transaction_plans', 'transaction_states'],
      why: 'checks planned changes in bulk',
    },
    { tables: ['state_configuration'], why: 'a queryable table joins findings with configuration' },
  ],
  states: [
    { tables: ['users'], why: 'lists of versions and submissions show who wrote them' },
    { tables: ['state_graphs'], why: 'lists of states show the size of their graphs' },
  ],
  tokens: [
    {
      tables: ['tenant_members', 'users'],
      why: 'which keys a caller sees depends on the tenants of their owners',
    },
    { tables: ['tenants'], why: 'links of an account name their tenant' },
  ],
  transactions: [
    {
      tables: ['state_changes', 'state_versions', 'states'],
      why: 'one statement finds all conflicts under the lock of the states',
    },
    { tables: ['state_configuration'], why: 'finds who changed the configuration since' },
    { tables: ['tasks'], why: 'locks a transaction together with the task of its step' },
    { tables: ['users'], why: 'lists show who began a transaction' },
  ],
};

/** Tables that a module writes although another one owns them, and why. */
export const WRITTEN = {
  orchestration: [
    {
      tables: ['pull_requests'],
      why: 'the time of the newest run is recorded with the run',
    },
  ],
};
