import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { type Answer, aBackend, send, type TestBackend } from './backend.js';
import type { ServiceOptions } from './service.js';

export interface SqlAnswer {
  status: number;
  headers: Answer['headers'];
  // oxlint-disable-next-line typescript/no-explicit-any -- the rows, or the error: only an assertion knows which
  body: any;
  text: string;
  milliseconds: number;
  link(rel: 'next' | 'prev'): string | undefined;
}

/** A service with two tenants, somebody in each, and something of every kind in both. */
export interface QueryEstate {
  backend: TestBackend;
  one: Side;
  other: Side;
  stop(): Promise<void>;
}

export interface Side {
  tenantId: string;
  userId: string;
  key: string;
  groupId: string;
  /** ids of a network state and of one that reads it */
  network: string;
  application: string;
  /** stands in names, attributes, outputs and checks of this side only */
  mark: string;
}

export async function ask(
  url: string,
  key: string,
  q: string,
  more: Record<string, string> = {},
): Promise<SqlAnswer> {
  return follow(`${url}/api/v1/mql?${new URLSearchParams({ q, ...more }).toString()}`, key);
}

export async function follow(address: string, key: string): Promise<SqlAnswer> {
  const begun = performance.now();
  const answer = await send(address, { headers: { authorization: `Bearer ${key}` } });
  const text = answer.bytes.toString();
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
    text,
    milliseconds: performance.now() - begun,
    link: (rel) => new RegExp(`<([^>]*)>; rel="${rel}"`).exec(String(answer.headers['link'] ?? ''))?.[1],
  };
}

export async function aQueryEstate(options: ServiceOptions = {}): Promise<QueryEstate> {
  const backend = await aBackend(options);
  try {
    const one = await aSide(backend, 'alpha');
    const other = await aSide(backend, 'omega');
    await backend.service.pool.query('ANALYZE');
    return { backend, one, other, stop: () => backend.stop() };
  } catch (error) {
    await backend.stop();
    throw error;
  }
}

/** A tenant with something of every kind; `mark` stands in it wherever text is. */
export async function aSide(backend: TestBackend, mark: string): Promise<Side> {
  const tenantId = await backend.aTenant();
  const user = await backend.aUser();
  const { pool } = backend.service;
  await pool.query('DELETE FROM tenant_members WHERE user_id = $1 OR tenant_id = $2', [user.id, tenantId]);
  await pool.query('INSERT INTO tenant_members (tenant_id, user_id) VALUES ($1, $2)', [tenantId, user.id]);
  await pool.query('UPDATE users SET name = $2 WHERE id = $1', [user.id, `${mark} user`]);
  await pool.query('UPDATE tenants SET name = $2 WHERE id = $1', [tenantId, `${mark} tenant`]);
  const groupId = randomUUID();
  const network = await backend.aState({
    tenant_id: tenantId,
    name: `${mark} network`,
    group_id: groupId,
    workspace: 'network',
  });
  const application = await backend.aState({
    tenant_id: tenantId,
    name: `${mark} application`,
    group_id: groupId,
    workspace: 'application',
  });
  for (const serial of [1, 2]) await write(backend, network.address, networkOf(mark, serial));
  await write(backend, application.address, applicationOf(mark, network.address));
  await logOf(pool, tenantId, network.id, mark);
  await scanOf(pool, tenantId, network.id, mark);
  await inventoryOf(pool, tenantId, mark);
  await costsOf(pool, tenantId, network.id, mark);
  await billOf(pool, tenantId, network.id, mark);
  return {
    tenantId,
    userId: user.id,
    key: user.key,
    groupId,
    network: network.id,
    application: application.id,
    mark,
  };
}

/** What a client said of a transaction, secrets included, and what it planned. */
async function logOf(pool: Pool, tenantId: string, stateId: string, mark: string): Promise<void> {
  const secret = `secret-${mark}`;
  const entries = [
    [
      'instance',
      {
        address: `a.${mark}`,
        sensitive_attributes: [['token']],
        attributes: { token: secret },
        private: secret,
      },
    ],
    ['output', { name: mark, value: secret, sensitive: true }],
    ['tfvar', { file: 'a.tfvars', name: mark, data: secret }],
    ['hcl', { file: 'main.tf', data: { note: mark } }],
  ] as const;
  for (const [type, data] of entries)
    await pool.query(
      `INSERT INTO transaction_logs (tx_id, id, action, object_type, state_id, data)
       SELECT id, gen_random_uuid(), $2, $3, $4, $5 FROM transactions WHERE tenant_id = $1 ORDER BY created_at LIMIT 1`,
      [
        tenantId,
        type === 'hcl' || type === 'tfvar' ? `${type}_set` : 'state_set',
        type,
        stateId,
        JSON.stringify(data),
      ],
    );
  await pool.query(
    `INSERT INTO transaction_plan_operations (tx_id, state_id, key, address, operation)
     SELECT id, $2, gen_random_uuid(), $3, 'create' FROM transactions WHERE tenant_id = $1 ORDER BY created_at LIMIT 1`,
    [tenantId, stateId, `a.${mark}`],
  );
}

/**
 * What security scans leave behind, since no worker runs here: a finding that is open, one that is critical where the
 * internet gets, one that was resolved lately, one that somebody accepted, and a database that the internet reaches.
 */
async function scanOf(pool: Pool, tenantId: string, stateId: string, mark: string): Promise<void> {
  const [scan, waiver] = [randomUUID(), randomUUID()];
  await pool.query(
    `INSERT INTO security_scans (id, state_id, tenant_id, kind, status, scanner_version, scanned_at, triggered_by)
     VALUES ($1, $2, $3, 'current', 'completed', '1', now(), 'backend_write')`,
    [scan, stateId, tenantId],
  );
  await pool.query(
    `INSERT INTO security_waivers (id, tenant_id, check_id, matched_id, address, reason, created_at, created_by_name)
     VALUES ($1, $2, 'AWS-S3-001', 'AWS-S3-001', $3::text, $3::text, now(), $3::text || ' user')`,
    [waiver, tenantId, mark],
  );
  await pool.query(
    `INSERT INTO security_findings (tenant_id, state_id, key, check_id, address, fingerprint, severity_base, severity, category,
       reachable, evidence, scan_id, first_seen_scan_id, first_seen_at, resolved_scan_id, resolved_at, waiver_id, waived_until)
     SELECT $1::uuid, $2::uuid, gen_random_uuid(), f.check_id, f.type || '.' || $3::text, $3::text || f.check_id, 2, f.severity, 'network', f.reachable,
       CASE WHEN f.reachable THEN 'igw-' || $3::text END, $4::uuid, $4::uuid, now() - interval '3 days',
       CASE WHEN f.resolved THEN $4::uuid END, CASE WHEN f.resolved THEN now() - interval '1 day' END,
       CASE WHEN f.waived THEN $5::uuid END, CASE WHEN f.waived THEN 'infinity'::timestamptz ELSE '-infinity' END
     FROM (VALUES ('AWS-EC2-001', 'aws_instance', 2, NULL::boolean, false, false),
       ('AWS-RDS-002', 'aws_db_instance', 4, true, false, false),
       ('AWS-EC2-002', 'aws_instance', 2, NULL, true, false),
       ('AWS-S3-001', 'aws_s3_bucket', 3, NULL, false, true)) AS f (check_id, type, severity, reachable, resolved, waived)`,
    [tenantId, stateId, mark, scan, waiver],
  );
  await pool.query(
    `INSERT INTO security_reach (state_id, key, tenant_id, address, type, reachable, evidence)
     SELECT $1::uuid, gen_random_uuid(), $2::uuid, type || '.' || $3::text, type, true, 'igw-' || $3::text
     FROM unnest('{aws_instance,aws_db_instance}'::text[]) AS type`,
    [stateId, tenantId, mark],
  );
}

/** What a scan of a cloud leaves behind: a subnet that two states claim, and a bucket that none does. */
export async function inventoryOf(pool: Pool, tenantId: string, mark: string): Promise<void> {
  const inventory = randomUUID();
  const subnet = `arn:aws:ec2:eu-west-1:123456789012:subnet/subnet-${mark}`;
  await pool.query(
    `INSERT INTO gap_scans (tenant_id, provider, task_id, status, started_at, ended_at, inventory_id, fetched_at, totals)
     VALUES ($1, 'aws', gen_random_uuid(), 'completed', now(), now(), $2, now(), '{"ec2": 1, "s3": 1}')`,
    [tenantId, inventory],
  );
  await pool.query(
    `INSERT INTO gap_inventory (tenant_id, inventory_id, provider, service, resource_type, id, lookup_id, region, account, supported)
     VALUES ($1, $2, 'aws', 'ec2', 'ec2:subnet', $3, $3, 'eu-west-1', '123456789012', true),
       ($1, $2, 'aws', 's3', 's3:bucket', $4, $4, 'eu-west-1', '123456789012', true)`,
    [tenantId, inventory, subnet, `arn:aws:s3:::${mark}`],
  );
  await pool.query(
    `INSERT INTO cloud_ids (state_id, key, id, tenant_id, provider, address)
     SELECT id, gen_random_uuid(), $2, $1, 'aws', 'aws_subnet.' || $3 FROM states WHERE tenant_id = $1 AND version > 0`,
    [tenantId, subnet, mark],
  );
}

/** What pricing leaves behind: a server that became dearer between two snapshots, and one without a rule. */
async function costsOf(pool: Pool, tenantId: string, stateId: string, mark: string): Promise<void> {
  const [older, newest] = [randomUUID(), randomUUID()];
  for (const [seq, [id, monthly, age]] of [
    [older, '70.08', '8 days'],
    [newest, '140.16', '1 minute'],
  ].entries())
    await pool.query(
      `INSERT INTO cost_snapshots (id, state_id, tenant_id, kind, seq, triggered_by, version, currency, monthly_cost, hourly_cost,
         resource_count, free_count, supported_count, priced_count, price_book, calculated_at)
       VALUES ($1, $2, $3, 'current', $4, 'backend_write', $4, 'USD', $5, $5::numeric / 730, 2, 0, 1, 1, 'book', now() - $6::interval)`,
      [id, stateId, tenantId, seq + 1, monthly, age],
    );
  await pool.query(
    `INSERT INTO cost_states (state_id, tenant_id, priced_version, basis, usage, seq, snapshot_id, snapshot_at)
     VALUES ($1, $2, 2, '', '', 2, $3, now())`,
    [stateId, tenantId, newest],
  );
  const sum = (
    dimension: string,
    name: string,
    currency: string,
    count: number,
    cost: string,
  ): Promise<unknown> =>
    pool.query(
      `WITH sums AS (
         INSERT INTO cost_sums (tenant_id, state_id, dimension, id, name, currency, from_day, resource_count, monthly_cost, hourly_cost)
         VALUES ($1, $2, $3, gen_random_uuid(), $4, $5, current_date - 20, $6, $7::numeric, $7::numeric / 730) RETURNING *)
       INSERT INTO cost_totals (tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost)
       SELECT tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost FROM sums`,
      [tenantId, stateId, dimension, name, currency, count, cost],
    );
  for (const [dimension, name] of [
    ['p', 'aws'],
    ['r', 'aws_instance'],
  ] as const)
    await sum(dimension, name, 'USD', 1, '140.16');
  await sum('r', 'odd_thing', '', 1, '0');
  const item = (key: string, values: readonly unknown[]): Promise<unknown> =>
    pool.query(
      `INSERT INTO cost_items (state_id, key, from_seq, until_seq, tenant_id, address, type, provider, region, class, is_priced, currency,
         monthly_cost, hourly_cost, tags, components, mark)
       VALUES ($1, $2, $4, $5, $3, $6, $7, 'aws', 'us-east-1', $8, $9, $10, $11::numeric, $11::numeric / 730, $12, $13, gen_random_uuid())`,
      [stateId, key, tenantId, ...values],
    );
  const server = randomUUID();
  const tags = JSON.stringify({ team: mark });
  const components = JSON.stringify([{ name: 'Instance usage', unit: 'hours', monthly_cost: '70.08' }]);
  const priced = [`aws_instance.${mark}`, 'aws_instance', 'p', true, 'USD'];
  await item(server, [1, 2, ...priced, '70.08', tags, components]);
  await item(server, [2, 2_147_483_647, ...priced, '140.16', tags, components]);
  await item(randomUUID(), [
    ...[1, 2_147_483_647, `odd_thing.${mark}`, 'odd_thing', 'u', false],
    ...[null, null, null, '[]'],
  ]);
}

/** What syncs of billing sources leave behind: an instance's bill, an unmanaged resource and tax. */
async function billOf(pool: Pool, tenantId: string, stateId: string, mark: string): Promise<void> {
  const source = randomUUID();
  await pool.query(
    `INSERT INTO billing_sources (id, tenant_id, provider, source_uri, window_months, enabled, named_by_operator, created_at, updated_at)
     VALUES ($1, $2, 'aws', $3, 2, false, true, now(), now())`,
    [source, tenantId, `s3://${mark}/bills`],
  );
  await pool.query(
    `CREATE TABLE IF NOT EXISTS billing_rows_2026_01 PARTITION OF billing_rows FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')`,
  );
  await pool.query(
    `INSERT INTO billing_rows (source_id, tenant_id, provider, account_id, charge_date, billing_period, resource_id, resource_type,
       service_name, region_id, charge_category, currency, billed_cost, effective_cost, line_count, tags)
     SELECT $1, $2, 'aws', $3, '2026-01-05', '2026-01', id, '', 'Amazon Elastic Compute Cloud', 'eu-central-1', category, 'USD', cost, cost, 1, '{}'
     FROM (VALUES ($4::text, 'Usage', 12.5), ($5::text, 'Usage', 3.25), ('', 'Tax', 2)) AS r (id, category, cost)`,
    [source, tenantId, `account-${mark}`, `i-${mark}`, `vol-${mark}`],
  );
  await pool.query(
    `INSERT INTO billed_resources (source_id, tenant_id, provider, resource_id, currency, billed_cost, line_count, first_date, last_date,
       region_id, resource_type, service_name, summed_at, state_id, address)
     SELECT source_id, tenant_id, provider, resource_id, currency, billed_cost, 1, charge_date, charge_date, region_id, '', service_name, now(),
       CASE WHEN resource_id LIKE 'i-%' THEN $2::uuid END, CASE WHEN resource_id LIKE 'i-%' THEN $3 END
     FROM billing_rows WHERE source_id = $1`,
    [source, stateId, `aws_instance.${mark}`],
  );
}

export async function write(backend: TestBackend, address: string, document: unknown): Promise<void> {
  const answer = await send(address, {
    method: 'POST',
    key: backend.key,
    body: JSON.stringify(document),
    headers: { 'content-type': 'application/json' },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
}

const PROVIDER = 'provider["registry.terraform.io/hashicorp/test"]';

/** Three subnets behind a VPC, buckets in a module; the second serial changes one subnet and removes a bucket. */
export function networkOf(mark: string, serial: number): Record<string, unknown> {
  const buckets = serial === 1 ? ['logs', 'public', 'old'] : ['logs', 'public'];
  return {
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: `${mark}-network`,
    outputs: {
      vpc_id: { value: `vpc-${mark}-0123456789`, type: 'string' },
      password: { value: `secret-${mark}`, type: 'string', sensitive: true },
    },
    resources: [
      resource('aws_vpc', 'main', [{ attributes: { id: `vpc-${mark}-0123456789`, note: mark } }]),
      resource(
        'aws_subnet',
        'main',
        [0, 1, 2].map((index) => ({
          index_key: index,
          attributes: {
            id: `subnet-${mark}-${index}`,
            size: index === 1 ? serial : 0,
            note: mark,
            token: `secret-${mark}`,
          },
          sensitive_attributes: [[{ type: 'get_attr', value: 'token' }]],
          dependencies: ['aws_vpc.main'],
        })),
      ),
      {
        module: 'module.storage["a"]',
        ...resource(
          'aws_s3_bucket',
          'main',
          buckets.map((key) => ({
            index_key: key,
            attributes: {
              id: `${mark}-${key}`,
              acl: key === 'public' ? 'public-read' : 'private',
              note: mark,
            },
          })),
        ),
      },
    ],
    check_results: [
      {
        object_kind: 'check',
        config_addr: `check.${mark}`,
        status: 'fail',
        objects: [
          { object_addr: `check.${mark}`, status: 'fail', failure_messages: [`${mark} is not well`] },
        ],
      },
    ],
  };
}

function applicationOf(mark: string, address: string): Record<string, unknown> {
  return {
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: `${mark}-application`,
    outputs: {},
    resources: [
      {
        ...resource('terraform_remote_state', 'network', [
          {
            attributes: {
              backend: 'http',
              config: { value: { address }, type: ['object', { address: 'string' }] },
              outputs: {
                value: { vpc_id: `vpc-${mark}-0123456789` },
                type: ['object', { vpc_id: 'string' }],
              },
            },
          },
        ]),
      },
      resource('aws_instance', 'web', [
        {
          attributes: { id: `i-${mark}`, note: mark },
          dependencies: ['data.terraform_remote_state.network'],
        },
      ]),
    ],
    check_results: null,
  };
}

function resource(type: string, name: string, instances: Record<string, unknown>[]): Record<string, unknown> {
  return {
    mode: type === 'terraform_remote_state' ? 'data' : 'managed',
    type,
    name,
    provider: PROVIDER,
    instances: instances.map((instance) => ({ schema_version: 0, sensitive_attributes: [], ...instance })),
  };
}

/** Runs statements with a scope and rolls back; `as` is the role, the service's own when absent. */
export async function inScope<T>(
  pool: Pool,
  { tenants, as, begin = 'BEGIN' }: { tenants?: readonly string[] | '*'; as?: string; begin?: string },
  task: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    if (tenants)
      await client.query(`SELECT set_config('mql.scope', public.query_scope($1), true)`, [
        tenants === '*' ? '*' : tenants.join(','),
      ]);
    if (as) await client.query(`SET LOCAL ROLE ${as}`);
    if (as) await client.query('SET LOCAL search_path = pg_catalog, mql, pg_temp');
    return await task(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
