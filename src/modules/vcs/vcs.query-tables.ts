import type { QueryTable } from '../mql/index.js';

const LINKED = 'JOIN installations i ON i.id =';
const ofTenants = (tenants: string): string => `i.tenant_id = ANY (${tenants}::uuid[])`;

/** What SQL queries see of code hosting: rows of installations that are linked at the moment of the query. */
export const vcsTables: readonly QueryTable[] = [
  {
    name: 'installations',
    description: 'installations at code hosts that are linked to a tenant',
    from: 'installations i',
    where: ofTenants,
    columns: {
      id: { type: 'uuid', description: 'id of the installation here', value: 'i.id' },
      provider: { type: 'text', description: 'github or gitlab', value: 'i.provider COLLATE "C"' },
      installation_id: {
        type: 'text',
        description: "the provider's own id",
        value: 'i.installation_id COLLATE "C"',
      },
      tenant_id: { type: 'uuid', description: 'tenant that it is linked to', value: 'i.tenant_id' },
      name: {
        type: 'text',
        description: 'login of the account, path of the group',
        value: 'i.name COLLATE "C"',
      },
      state: {
        type: 'text',
        description: 'active, suspended, uninstalled, pending or installed',
        value: 'i.state COLLATE "C"',
      },
      created_at: { type: 'timestamptz', description: 'when it was first seen', value: 'i.created_at' },
    },
  },
  {
    name: 'repositories',
    description: 'repositories of linked installations',
    from: `repositories r ${LINKED} r.installation_id`,
    where: ofTenants,
    columns: {
      id: { type: 'text', description: "the provider's own id", value: 'r.provider_id COLLATE "C"' },
      provider: { type: 'text', description: 'github or gitlab', value: 'i.provider COLLATE "C"' },
      installation_id: {
        type: 'text',
        description: "the provider's own id",
        value: 'i.installation_id COLLATE "C"',
      },
      tenant_id: {
        type: 'uuid',
        description: 'tenant that the installation is linked to',
        value: 'i.tenant_id',
      },
      owner: { type: 'text', description: 'account, or path of the namespace', value: 'r.owner COLLATE "C"' },
      name: { type: 'text', description: 'name without the owner', value: 'r.name COLLATE "C"' },
      setup: {
        type: 'boolean',
        description: 'whether workflow and configuration were seen',
        value: 'r.has_workflow AND r.has_configuration',
      },
      updated_at: { type: 'timestamptz', description: 'when the row last changed', value: 'r.updated_at' },
    },
  },
  {
    name: 'pull_requests',
    description: 'pull and merge requests of linked installations',
    from: `pull_requests p JOIN repositories r ON r.id = p.repository_id ${LINKED} p.installation_id`,
    where: ofTenants,
    columns: {
      provider: { type: 'text', description: 'github or gitlab', value: 'i.provider COLLATE "C"' },
      installation_id: {
        type: 'text',
        description: "the provider's own id",
        value: 'i.installation_id COLLATE "C"',
      },
      tenant_id: {
        type: 'uuid',
        description: 'tenant that the installation is linked to',
        value: 'i.tenant_id',
      },
      repo_id: {
        type: 'text',
        description: "the provider's id of the repository",
        value: 'r.provider_id COLLATE "C"',
      },
      pull_number: { type: 'integer', description: 'number within the repository', value: 'p.number' },
      title: { type: 'text', description: 'title', value: 'p.title COLLATE "C"' },
      username: { type: 'text', description: 'who opened it', value: 'p.username COLLATE "C"' },
      branch: { type: 'text', description: "the head's branch", value: 'p.branch COLLATE "C"' },
      base_branch: {
        type: 'text',
        description: 'branch that it is to be merged into',
        value: 'p.base_branch COLLATE "C"',
      },
      state: { type: 'text', description: 'open, closed or merged', value: 'p.state COLLATE "C"' },
      sha: { type: 'text', description: 'head commit', value: 'p.sha COLLATE "C"' },
      created_at: { type: 'timestamptz', description: 'when it was opened', value: 'p.created_at' },
      merged_at: { type: 'timestamptz', description: 'when it was merged', value: 'p.merged_at' },
    },
  },
];
