import type { QueryColumn, QueryTable } from '../../mql/index.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});
const text = (value: string, description: string) => column('text', `${value} COLLATE "C"`, description);
const inTenants = (tenants: string) => `i.tenant_id = ANY (${tenants}::uuid[])`;

const RUN =
  'work_manifests m JOIN installations i ON i.id = m.installation_id JOIN repositories r ON r.id = m.repository_id';

/** Runs as SQL queries see them (notes 9.7); rows belong to the tenant that the installation is linked to now. */
export const orchestrationTables: readonly QueryTable[] = [
  {
    name: 'work_manifests',
    description: 'Runs of Terraform for pull requests, drift and indexing',
    from: RUN,
    where: inTenants,
    columns: {
      id: column('uuid', 'm.id', 'id of the run'),
      provider: text('i.provider', '`github` or `gitlab`'),
      installation_id: text('i.installation_id', "the provider's id of the installation"),
      tenant_id: column('uuid', 'i.tenant_id', 'the tenant it belongs to'),
      repo_id: text('r.provider_id', "the provider's id of the repository"),
      pull_number: column('integer', 'm.pull_number', 'pull request; null for drift and index runs'),
      run_type: text('m.run_type', '`plan`, `apply`, `index` or `build-config`'),
      kind: text('m.kind', '`pull_request`, `drift` or `index`'),
      state: text('m.state', '`queued`, `running`, `completed` or `aborted`'),
      username: text('m.username', 'who started it'),
      environment: text('m.environment', 'CI environment'),
      branch: text('m.branch', 'branch of the head'),
      sha: text('m.branch_ref', 'commit of the head'),
      run_id: text('m.run_id', 'id of the CI run'),
      created_at: column('timestamptz', 'm.created_at', 'when it was asked for'),
      completed_at: column('timestamptz', 'm.completed_at', 'when it ended; null while it goes on'),
    },
  },
  {
    name: 'dirspaces',
    description: 'Directories and workspaces of runs',
    from: 'work_manifest_dirspaces d JOIN installations i ON i.id = d.installation_id',
    where: inTenants,
    columns: {
      work_manifest_id: column('uuid', 'd.work_manifest_id', 'the run'),
      tenant_id: column('uuid', 'i.tenant_id', 'the tenant it belongs to'),
      dir: text('d.dir', 'directory of the repository'),
      workspace: text('d.workspace', 'workspace; `default` when none was chosen'),
      state: text('d.state', '`queued`, `running`, `success`, `failure`, `aborted` or `unknown`'),
      has_changes: column(
        'boolean',
        'd.has_changes',
        'whether the plan had changes; null when it is not known',
      ),
      success: column('boolean', 'd.success', 'null until it has ended'),
    },
  },
  {
    name: 'dirspace_holds',
    description:
      'Directories that a pull request holds since its apply began, or a run while it reconciles drift',
    from: 'dirspace_holds h JOIN repositories r ON r.id = h.repository_id JOIN installations i ON i.id = r.installation_id',
    where: inTenants,
    columns: {
      provider: text('i.provider', '`github` or `gitlab`'),
      installation_id: text('i.installation_id', "the provider's id of the installation"),
      tenant_id: column('uuid', 'i.tenant_id', 'the tenant it belongs to'),
      repo_id: text('r.provider_id', "the provider's id of the repository"),
      dir: text('h.dir', 'directory of the repository'),
      workspace: text('h.workspace', 'workspace; `default` when none was chosen'),
      pull_number: column(
        'integer',
        'h.pull_number',
        'the pull request that holds it; null: a run that reconciles drift',
      ),
      username: text('h.username', 'who asked for the apply'),
      created_at: column('timestamptz', 'h.created_at', 'since when'),
    },
  },
];
