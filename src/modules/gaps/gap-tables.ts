import type { QueryColumn, QueryTable } from '../mql/index.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  ...{ type, value, description },
});
const text = (value: string, description: string) => column('text', `(${value}) COLLATE "C"`, description);

/** Complete inventories only, a row for each instance that manages the resource; without one a single row. */
const RESOURCES = `(SELECT s.tenant_id, s.provider, s.fetched_at, i.service, i.resource_type, i.id, i.region, i.account, i.phantom,
    m.state_id, m.address
  FROM gap_scans s JOIN gap_inventory i ON i.tenant_id = s.tenant_id AND i.inventory_id = s.inventory_id
  LEFT JOIN LATERAL (SELECT DISTINCT c.state_id, c.address FROM cloud_ids c
    WHERE c.tenant_id = s.tenant_id AND c.provider = s.provider
      AND c.id = ANY (array_append(coalesce(i.other_ids, '{}'), i.lookup_id))) m ON true) g`;

/** Gap analysis as SQL queries see it. */
export const gapTables: readonly QueryTable[] = [
  {
    name: 'gap_resources',
    description:
      'Resources that the last scan of a cloud listed; one that several instances manage has a row for each of them',
    from: RESOURCES,
    where: (tenants) => `g.tenant_id = ANY (${tenants}::uuid[])`,
    columns: {
      tenant_id: column('uuid', 'g.tenant_id', 'the tenant'),
      provider: text('g.provider', '`aws`, `azure` or `gcp`'),
      resource_id: text('g.id', 'ARN, asset name or resource id'),
      resource_type: text('g.resource_type', 'type as the cloud names it'),
      service: text('g.service', 'service of the cloud'),
      region: text('g.region', 'region or location'),
      owning_account_id: text('g.account', 'account, project or subscription'),
      status: text(
        `CASE WHEN g.state_id IS NOT NULL THEN 'managed' WHEN g.phantom IS NOT NULL THEN 'phantom' ELSE 'unmanaged' END`,
        '`managed`, `unmanaged` or `phantom` at this moment',
      ),
      state_id: column('uuid', 'g.state_id', 'a state that manages it'),
      address: text('g.address', 'address of the instance'),
      fetched_at: column('timestamptz', 'g.fetched_at', 'when the scan ended'),
    },
  },
];
