import type { QueryColumn, QueryTable } from '../mql/index.js';

const column = (type: QueryColumn['type'], value: string, description: string): QueryColumn => ({
  type,
  value,
  description,
});
/** Missing texts are empty in the table and null here. */
const text = (value: string, description: string) =>
  column('text', `nullif(${value}, '') COLLATE "C"`, description);

/** Actual spend as SQL queries see it. */
export const billingTables: readonly QueryTable[] = [
  {
    name: 'billing_rows',
    description: 'Billed lines of a day, with the instance that caused them',
    from: `billing_rows b LEFT JOIN billed_resources r ON r.source_id = b.source_id AND r.provider = b.provider
      AND r.currency = b.currency AND r.resource_hash = md5(b.resource_id)::uuid`,
    where: (tenants) => `b.tenant_id = ANY (${tenants}::uuid[])`,
    columns: {
      source_id: column('uuid', 'b.source_id', 'the billing source'),
      tenant_id: column('uuid', 'b.tenant_id', 'the tenant'),
      provider: text('b.provider', '`aws`, `azure`, `gcp`, or another one in small letters'),
      account_id: text('b.account_id', 'account, subscription or project that used it'),
      charge_date: column(
        'timestamptz',
        `b.charge_date::timestamp AT TIME ZONE 'UTC'`,
        'day in UTC, as its midnight',
      ),
      billing_period: text('b.billing_period', 'month of the bill, YYYY-MM'),
      resource_id: text('b.resource_id', 'id as the bill spells it'),
      resource_type: text('b.resource_type', 'type as the bill names it'),
      service_name: text('b.service_name', 'service as the bill names it'),
      region_id: text('b.region_id', 'region as the bill names it'),
      charge_category: text('b.charge_category', 'such as `Usage`, `Tax`, `Credit`, `Purchase`'),
      currency: text('b.currency', 'ISO code'),
      billed_cost: column('numeric', 'b.billed_cost', 'what was billed'),
      effective_cost: column('numeric', 'b.effective_cost', 'with prepaid costs spread over their use'),
      line_count: column('bigint', 'b.line_count', 'lines of the file that the row stands for'),
      tags: column('jsonb', 'b.tags', 'tags of the bill'),
      bucket: column(
        'text',
        `(CASE WHEN b.resource_id = '' THEN 'unallocated' WHEN r.state_id IS NULL THEN 'unmanaged' ELSE 'attributed' END) COLLATE "C"`,
        '`attributed`, `unmanaged` or `unallocated`',
      ),
      state_id: column('uuid', 'r.state_id', 'state of the instance'),
      address: column(
        'text',
        'CASE WHEN r.state_id IS NULL THEN NULL ELSE r.address END',
        'address of the instance',
      ),
    },
  },
];
