import { instanceColumns } from './instance-tables.js';
import type { QueryColumn, QueryTable } from './query-table.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});

const KEPT =
  'state_id, tenant_id, address, resource_address, type, provider, module, mode, attributes, index_key, status, deposed, ' +
  'sensitive_attributes, schema_version, create_before_destroy, since';

export const historyTables: readonly QueryTable[] = [
  {
    name: 'instances_history',
    description:
      'Every form an instance has had: the current one, whose valid_to is null, and those that a later write changed or removed',
    from: `(SELECT ${KEPT}, NULL::integer AS until FROM instances UNION ALL SELECT ${KEPT}, until FROM instance_history) h
      JOIN state_version_times f ON f.state_id = h.state_id AND f.version = h.since
      LEFT JOIN state_version_times u ON u.state_id = h.state_id AND u.version = h.until`,
    where: (tenants) => `h.tenant_id = ANY (${tenants}::uuid[])`,
    columns: {
      ...instanceColumns('h'),
      from_version: column('integer', 'h.since', 'version of the state that wrote it'),
      to_version: column(
        'integer',
        'h.until',
        'version that changed or removed it; null for the current one',
      ),
      valid_from_tx: column('uuid', 'f.tx_id', 'transaction that wrote it'),
      valid_from: column('timestamptz', 'f.created_at', 'when it was written'),
      valid_to_tx: column(
        'uuid',
        'u.tx_id',
        'transaction that changed or removed it; null for the current one',
      ),
      valid_to: column(
        'timestamptz',
        'u.created_at',
        'when it was changed or removed; null for the current one',
      ),
    },
    shortcuts: { prefixes: { address: 'left(h.address, 512)' }, containments: {} },
  },
];
