import type { QueryColumn, QueryTable } from './query-table.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});

/** The columns of an instance, of a row of now or of history. */
export function instanceColumns(owner: string): Record<string, QueryColumn> {
  const text = (name: string, description: string) =>
    column('text', `${owner}.${name} COLLATE "C"`, description);
  /** Parts of an address that a document limits: an index and its statistics are of use as long as nothing stands around them. */
  const word = (name: string, description: string): QueryColumn => ({
    ...column('text', `${owner}.${name}`, description),
    isBounded: true,
  });
  return {
    state_id: column('uuid', `${owner}.state_id`, 'the state it belongs to'),
    address: column('text', `${owner}.address`, 'full address with the instance key'),
    resource_address: column(
      'text',
      `${owner}.resource_address`,
      'address of its resource, without the instance key',
    ),
    type: word('type', 'resource type, such as aws_instance'),
    provider: word('provider', 'source address of the provider'),
    module: column('text', `${owner}.module`, 'full address of the module; null in the root module'),
    mode: text('mode', '`managed` or `data`'),
    attributes: column('jsonb', `${owner}.attributes`, 'attributes as stored; sensitive values are masked'),
    index_key: column('jsonb', `${owner}.index_key`, 'key of count (a number) or for_each (a string)'),
    status: text('status', '`tainted`, or null'),
    deposed: text('deposed', 'key of a deposed object, or null for the live one'),
    sensitive_attributes: column('jsonb', `${owner}.sensitive_attributes`, 'paths of what is masked'),
    schema_version: column('bigint', `${owner}.schema_version`, 'schema version of the attributes'),
    create_before_destroy: column('boolean', `${owner}.create_before_destroy`, 'how it is replaced'),
  };
}

/** Characters from `[` on end an address within the addresses of its resource. */
const sameResource = (instance: string, resource: string) =>
  `${instance}.state_id = ${resource}.state_id AND left(${instance}.address, 512) >= left(${resource}.address, 512) ` +
  `AND left(${instance}.address, 512) < left(${resource}.address, 512) || '\\' AND ${instance}.resource_address = ${resource}.address`;

/**
 * Live instances `t` that the instance directly depends on: FROM and WHERE of a sub-select. `OFFSET 0` keeps the planner
 * from joining all resources of an address at once: each is a short range of an index.
 */
const dependenciesOf = (owner: string) =>
  `config_dependencies d CROSS JOIN LATERAL unnest(d.dependencies, d.shared) n (config, steps)
     CROSS JOIN LATERAL (SELECT module_prefix(${owner}.module, n.steps) AS prefix OFFSET 0) m
     CROSS JOIN LATERAL (
       SELECT r.state_id, r.address FROM resources r
       WHERE r.state_id = d.state_id AND r.config = n.config AND left(r.address, 512) >= left(m.prefix, 512)
         AND left(r.address, 512) < left(m.prefix, 512) || chr(1114111) AND starts_with(r.address, m.prefix)
       OFFSET 0) r
     CROSS JOIN LATERAL (
       SELECT t.state_id, t.address FROM instances t WHERE ${sameResource('t', 'r')} AND t.deposed IS NULL OFFSET 0) t
   WHERE d.state_id = ${owner}.state_id
     AND d.dependent = CASE WHEN ${owner}.deposed IS NULL THEN config_key(${owner}.resource_address) ELSE ${owner}.key END`;

/** Which instances of the producer feed a link; the whole producer when no value tells. */
const PRODUCERS = `state_links l JOIN states c ON c.id = l.consumer_state_id
   JOIN states p ON p.group_id = l.group_id AND p.workspace = l.workspace AND p.tenant_id = c.tenant_id
   LEFT JOIN LATERAL (
     SELECT DISTINCT t.address FROM output_sources o CROSS JOIN LATERAL unnest(o.keys) k (key)
       JOIN instances t ON t.state_id = p.id AND t.key = k.key
     WHERE o.state_id = p.id AND o.value = ANY (l.values)
   ) t ON true`;

const { status, deposed, ...plain } = instanceColumns('i');

export const instanceTables: readonly QueryTable[] = [
  {
    name: 'instances',
    description: 'Instances of the current documents, data sources and deposed objects included',
    from: 'instances i',
    where: (tenants) => `i.tenant_id = ANY (${tenants}::uuid[])`,
    columns: {
      ...plain,
      dependencies: column(
        'text[]',
        `ARRAY(SELECT t.address FROM ${dependenciesOf('i')} ORDER BY t.address)`,
        'addresses of the instances it directly depends on',
      ),
      ...(status && { status }),
      ...(deposed && { deposed }),
    },
    shortcuts: {
      prefixes: { address: 'left(i.address, 512)' },
      containments: { attributes: 'i.attributes' },
      rowKey: ['i.state_id', 'i.key'],
      late: ['dependencies'],
    },
  },
  {
    name: 'edges',
    description:
      'What an instance directly depends on, in its own state and through terraform_remote_state in others',
    from: `(SELECT i.tenant_id, i.state_id, i.address AS from_address, left(i.address, 512) AS from_start, e.state_id AS to_state_id, e.address AS to_address
            FROM instances i CROSS JOIN LATERAL (SELECT t.state_id, t.address FROM ${dependenciesOf('i')}) e
            UNION ALL
            SELECT c.tenant_id, l.consumer_state_id, l.consumer_address COLLATE "C", left(l.consumer_address, 512) COLLATE "C", p.id, t.address FROM ${PRODUCERS}) g`,
    where: (tenants) => `g.tenant_id = ANY (${tenants}::uuid[])`,
    columns: {
      state_id: column('uuid', 'g.state_id', 'state of the instance that depends on another'),
      from_address: column('text', 'g.from_address', 'the instance that depends on another'),
      to_state_id: column('uuid', 'g.to_state_id', 'state of what it depends on'),
      to_address: column(
        'text',
        'g.to_address',
        'what it depends on; null for another state as a whole, when no value tells the instance',
      ),
    },
    shortcuts: { prefixes: { from_address: 'g.from_start' }, containments: {} },
  },
];
