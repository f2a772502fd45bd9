import type { QueryColumn, QueryTable } from '../mql/index.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});
const text = (value: string, description: string) => column('text', `(${value}) COLLATE "C"`, description);

/** Snapshots with the items of their intervals. */
const RESOURCES = `(SELECT c.id AS snapshot_id, c.tenant_id, c.calculated_at, i.* FROM cost_snapshots c
    JOIN (SELECT state_id, from_seq, until_seq, address, deposed, type, provider, region, cloud_resource_id, class, is_priced,
      currency, monthly_cost, hourly_cost, tags, components FROM cost_items) i
      ON i.state_id = c.state_id AND i.from_seq <= c.seq AND i.until_seq > c.seq WHERE c.kind = 'current') r`;

/** Costs as SQL queries see them. */
export const costTables: readonly QueryTable[] = [
  {
    name: 'cost_snapshots',
    description: 'What states cost at a time, and what plans would make of them',
    from: 'cost_snapshots c',
    where: (tenants) => `c.tenant_id = ANY (${tenants}::uuid[])`,
    columns: {
      id: column('uuid', 'c.id', 'id of the snapshot'),
      state_id: column('uuid', 'c.state_id', 'the state'),
      tenant_id: column('uuid', 'c.tenant_id', 'the tenant'),
      tx_id: column('uuid', 'c.tx_id', 'newest transaction that it covers, or the one whose plan it prices'),
      kind: text('c.kind', '`current`, or `planned` for a plan'),
      source: text(`'estimate'::text`, 'always `estimate`'),
      triggered_by: text('c.triggered_by', 'what started it, such as `backend_write` or `scheduled`'),
      latest: column(
        'boolean',
        'EXISTS (SELECT FROM cost_states p WHERE p.state_id = c.state_id AND p.snapshot_id = c.id)',
        'the newest current snapshot of its state',
      ),
      currency: text('c.currency', 'currency of the amounts'),
      monthly_cost: column('numeric', 'c.monthly_cost', 'cost of 730 hours'),
      hourly_cost: column('numeric', 'c.hourly_cost', 'cost of an hour'),
      resource_count: column('integer', 'c.resource_count', 'managed instances'),
      supported_count: column('integer', 'c.supported_count', 'instances of known types'),
      priced_count: column('integer', 'c.priced_count', 'instances that are priced'),
      coverage_percent: column(
        'numeric',
        `CASE WHEN c.resource_count = c.free_count THEN 100 ELSE trunc(c.priced_count * 100.0 / (c.resource_count - c.free_count), 2) END`,
        'priced instances of those that are not free',
      ),
      price_book: text('c.price_book', 'version of the price book'),
      calculated_at: column('timestamptz', 'c.calculated_at', 'when it was taken'),
    },
  },
  {
    name: 'cost_snapshot_resources',
    description: 'What each instance cost in each current snapshot',
    from: RESOURCES,
    where: (tenants) => `r.tenant_id = ANY (${tenants}::uuid[])`,
    columns: {
      snapshot_id: column('uuid', 'r.snapshot_id', 'the snapshot'),
      state_id: column('uuid', 'r.state_id', 'the state'),
      address: text('r.address', 'address of the instance'),
      deposed: text('r.deposed', 'key of a deposed object'),
      type: text('r.type', 'resource type'),
      provider: text('r.provider', '`aws`, `azure`, `gcp`, else the name of the provider'),
      region: text('r.region', 'region that it is priced in'),
      cloud_resource_id: text('r.cloud_resource_id', 'id that the cloud knows it by'),
      supported: column('boolean', `r.class <> 'u'`, 'whether the type is known'),
      no_price: column('boolean', `r.class = 'f'`, 'the type costs nothing'),
      priced: column('boolean', 'r.is_priced', 'it costs something, all of it known'),
      currency: text('r.currency', 'currency of the amounts'),
      monthly_cost: column('numeric', 'r.monthly_cost', 'cost of 730 hours; null without a cost'),
      hourly_cost: column('numeric', 'r.hourly_cost', 'cost of an hour; null without a cost'),
      tags: column('jsonb', 'r.tags::jsonb', 'tags or labels'),
      components: column('jsonb', 'r.components::jsonb', 'what the cost is made of'),
    },
  },
];
