import type { QueryColumn, QueryTable } from './query-table.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});
/** Text of a column that has another collation than "C", which all text columns of the views have. */
const text = (value: string, description: string) => column('text', `${value} COLLATE "C"`, description);

/** A name that the service limits, or one of a few words. */
const word = (value: string, description: string): QueryColumn => ({
  ...text(value, description),
  isBounded: true,
});

const ofState = 's.tenant_id = ANY (';
const inTenants = (tenants: string) => `${ofState}${tenants}::uuid[])`;
const STATE_ID = (owner: string) => column('uuid', `${owner}.state_id`, 'the state it belongs to');

/** Tables of the modules below this one. */
export const coreTables: readonly QueryTable[] = [
  {
    name: 'states',
    description: 'States and what their current document says of itself',
    from: 'states s',
    where: inTenants,
    columns: {
      id: column('uuid', 's.id', 'id of the state'),
      name: word('s.name', 'name for people'),
      workspace: word('s.workspace', 'workspace; `default` when none was chosen'),
      group_id: column('uuid', 's.group_id', 'states of one configuration share it'),
      tenant_id: column('uuid', 's.tenant_id', 'the tenant it belongs to'),
      serial: column('bigint', 's.serial', 'serial of the current document'),
      lineage: text('s.lineage', 'lineage of the documents'),
      created_at: column('timestamptz', 's.created_at', 'when the state was created'),
      updated_at: column('timestamptz', 's.updated_at', 'when a document was last accepted'),
      schema_version: column(
        'integer',
        `CASE s.format WHEN 'terraform' THEN 4 END`,
        'format version of the current document; null for one that is not decomposed',
      ),
    },
  },
  {
    name: 'state_versions',
    description: 'Every accepted document of a state',
    from: 'state_versions v JOIN states s ON s.id = v.state_id',
    where: inTenants,
    columns: {
      state_id: STATE_ID('v'),
      version: column('integer', 'v.version', 'counts the accepted documents from one'),
      serial: column('bigint', 'v.serial', 'serial of the document'),
      size: column('bigint', 'v.size', 'bytes of the document'),
      tx_id: column('uuid', 'v.tx_id', 'transaction it was written in'),
      created_by: column('uuid', 'v.created_by', 'user who wrote it'),
      created_at: column('timestamptz', 'v.created_at', 'when it was accepted'),
    },
  },
  {
    name: 'resources',
    description: 'Resources of the current documents',
    from: 'resources r JOIN states s ON s.id = r.state_id',
    where: inTenants,
    columns: {
      state_id: STATE_ID('r'),
      address: column('text', 'r.address', 'address without an instance key'),
      type: { ...column('text', 'r.type', 'resource type, such as aws_instance'), isBounded: true },
      name: word('r.name', 'name in the configuration'),
      provider: { ...column('text', 'r.provider', 'source address of the provider'), isBounded: true },
      module: column('text', 'r.module', 'full address of the module; null in the root module'),
      mode: word('r.mode', '`managed` or `data`'),
      instance_count: column('integer', 'r.instance_count', 'instances, deposed ones included'),
    },
  },
  {
    name: 'outputs',
    description: 'Outputs of the current documents; sensitive values are masked',
    from: 'outputs o JOIN states s ON s.id = o.state_id',
    where: inTenants,
    columns: {
      state_id: STATE_ID('o'),
      name: text('o.name', 'name of the output'),
      value: column('jsonb', 'o.value', 'its value, masked when it is sensitive'),
      type: column('jsonb', 'o.type', 'its type as Terraform writes it'),
      sensitive: column('boolean', 'o.sensitive', 'whether it is marked sensitive'),
    },
  },
  {
    name: 'providers',
    description: 'Providers that the instances of a state come from',
    from: 'providers p JOIN states s ON s.id = p.state_id',
    where: inTenants,
    columns: {
      state_id: STATE_ID('p'),
      name: {
        ...column('text', 'p.name', 'source address, such as registry.terraform.io/hashicorp/aws'),
        isBounded: true,
      },
    },
  },
  {
    name: 'modules',
    description: 'Modules of the current documents',
    from: 'modules m JOIN states s ON s.id = m.state_id',
    where: inTenants,
    columns: {
      state_id: STATE_ID('m'),
      name: column('text', 'm.name', 'full address; `root` for the root module'),
      resource_count: column('integer', 'm.resource_count', 'resources directly in it'),
      instance_count: column('integer', 'm.instance_count', 'instances directly in it'),
    },
  },
  {
    name: 'check_results',
    description: 'Results of check blocks, preconditions and postconditions',
    from: 'check_results c JOIN states s ON s.id = c.state_id',
    where: inTenants,
    columns: {
      state_id: STATE_ID('c'),
      config_addr: text('c.config_addr', 'what was checked, by its address in the configuration'),
      object_kind: text('c.object_kind', 'kind of what was checked'),
      status: text('c.status', '`pass`, `fail`, `error` or `unknown`'),
    },
  },
  {
    name: 'check_entries',
    description: 'Results of checks, one row for each object that was checked',
    from: 'check_results c JOIN states s ON s.id = c.state_id CROSS JOIN LATERAL jsonb_array_elements(c.objects) e (entry)',
    where: inTenants,
    columns: {
      state_id: STATE_ID('c'),
      config_addr: text('c.config_addr', 'what was checked, by its address in the configuration'),
      object_addr: text(`(e.entry ->> 'object_addr')`, 'address of the object'),
      status: text(`(e.entry ->> 'status')`, '`pass`, `fail`, `error` or `unknown`'),
      failure_messages: column('jsonb', `e.entry -> 'failure_messages'`, 'what the failed conditions say'),
    },
  },
  {
    name: 'tenants',
    description: 'The tenants you can read',
    from: 'tenants t',
    where: (tenants) => `t.id = ANY (${tenants}::uuid[])`,
    columns: {
      id: column('uuid', 't.id', 'id of the tenant'),
      name: word('t.name', 'its name'),
      created_at: column('timestamptz', 't.created_at', 'when it was created'),
    },
  },
  {
    name: 'users',
    description: 'People and service accounts who share a tenant with you',
    from: 'users u',
    where: (tenants) =>
      `u.deleted_at IS NULL AND (EXISTS (SELECT FROM tenant_members m WHERE m.user_id = u.id AND m.tenant_id = ANY (${tenants}::uuid[])) OR (SELECT mql.everything()))`,
    columns: {
      id: column('uuid', 'u.id', 'id of the user'),
      name: word('u.name', 'display name'),
      type: word('u.type', '`user`, `api` or `system`'),
      created_at: column('timestamptz', 'u.created_at', 'when the user was created'),
    },
  },
];
