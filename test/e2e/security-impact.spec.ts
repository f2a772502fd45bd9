import { ADVISORY_LOCK_CLASSES } from '../../src/platform/database/advisory-locks.js';
import { gone, Runner } from '../support/bundles.js';
import { aBackend, type TestBackend } from '../support/backend.js';
import { estateDocument, type EstateResource, EstateWriter, eventually } from '../support/estate.js';
import { actWhileBlocked } from '../support/held-lock.js';
import { type RunningService, startService } from '../support/service.js';
import { TransactionClient } from '../support/transactions.js';

interface ImpactFinding {
  check_id: string;
  resource_fq_address: string;
  state_id: string;
  severity_effective: string;
  severity_reason?: string;
  blast_radius_resource_count: number;
  is_internet_reachable?: boolean;
}
interface Impact {
  source: string;
  findings_added: ImpactFinding[];
  findings_resolved: ImpactFinding[];
  states_affected: string[];
  [more: string]: unknown;
}

function block(name: string, blocks: boolean): EstateResource {
  return {
    type: 'aws_s3_bucket_public_access_block',
    name,
    attributes: {
      id: name,
      bucket: name,
      block_public_acls: blocks,
      block_public_policy: true,
      ignore_public_acls: true,
      restrict_public_buckets: true,
    },
  };
}

function planned(
  { type, name, attributes = {} }: EstateResource,
  actions: string[],
  unknown: object = {},
): unknown {
  return {
    address: `${type}.${name}`,
    mode: 'managed',
    type,
    name,
    change: {
      actions,
      before: null,
      after: actions.at(-1) === 'delete' ? null : attributes,
      after_unknown: unknown,
    },
  };
}

describe('Security impact of transactions', () => {
  let backend: TestBackend;
  let worker: RunningService;
  let client: TransactionClient;
  beforeAll(async () => {
    backend = await aBackend();
    worker = await startService({ role: 'worker', database: backend.service.database });
    client = new TransactionClient(backend);
  }, 180_000);
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  const lines = (list: Impact['findings_added']): string[] =>
    list.map(({ check_id: id, resource_fq_address: address }) => `${id} ${address}`).sort();

  function impactOf(txId: string, source: 'planned' | 'commit'): Promise<Impact> {
    return eventually(`${source} impact`, async () => {
      const answer = await backend.api('GET', `/tx/${txId}/security/impact`);
      if (answer.status === 202) {
        expect(answer.json()).toEqual({ status: 'computing' });
        return undefined;
      }
      expect(answer.status).toBe(200);
      const impact = answer.json() as Impact;
      return impact.source === source ? impact : undefined;
    });
  }

  async function scanned(stateId: string, version: number): Promise<void> {
    await eventually('scan', async () => {
      const { scan } = (await backend.api('GET', `/states/${stateId}/security/findings`)).json() as {
        scan?: { version: number };
      };
      return scan && scan.version >= version ? true : undefined;
    });
  }

  /**
   * @param named resources of the state that the change is about: the runner is given them, and may leave them out
   * @param blocks further blocks that the log sets
   */
  async function previewed(
    stateId: string,
    changes: unknown[],
    { named = [], blocks = [] }: { named?: readonly string[]; blocks?: readonly object[] } = {},
  ): Promise<{ txId: string }> {
    const txId = await client.create();
    await client.append(txId, [
      {
        action: 'hcl_set',
        object_type: 'hcl',
        state_id: stateId,
        data: {
          module: '',
          file: 'main.tf',
          start_line: 3,
          end_line: 9,
          data: { resource: { aws_s3_bucket_public_access_block: { new: [{}] } } },
        },
      },
      ...blocks.map((data) => ({ action: 'hcl_set', object_type: 'hcl', state_id: stateId, data })),
      ...named.map((nodeId) => ({ ...gone(nodeId), state_id: stateId })),
    ]);
    const { task, token } = await client.begin(txId, 'preview');
    if (named.length > 0) await new Runner(client, token, task, txId).generate();
    const answer = await client.report(token, {
      kind: 'preview',
      has_changes: changes.length > 0,
      plan: 'a plan',
      plan_json: { format_version: '1.2', resource_changes: changes },
    });
    expect({ status: answer.status, body: answer.bytes.toString() }).toMatchObject({ status: 200 });
    expect(await client.ended(task)).toBe('completed');
    return { txId };
  }

  it('tells what a plan would add and resolve, and what its commit did', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([block('old', false), block('kept', false)]);
    await scanned(writer.state.id, 1);
    const { txId } = await previewed(writer.state.id, [
      planned(block('new', false), ['create']),
      planned(block('old', false), ['delete']),
      planned(block('kept', false), ['no-op']),
      planned(block('hidden', false), ['create'], { block_public_acls: true }),
    ]);
    const impact = await impactOf(txId, 'planned');
    expect(lines(impact.findings_added)).toEqual(['AWS-S3-001 aws_s3_bucket_public_access_block.new']);
    expect(lines(impact.findings_resolved)).toEqual(['AWS-S3-001 aws_s3_bucket_public_access_block.old']);
    expect(impact.states_affected).toEqual([writer.state.id]);
    expect(impact.findings_added[0]).toMatchObject({ source_file: 'main.tf', source_start_line: 3 });
    const summary = await backend.api('GET', `/tx/${txId}/security/impact/summary`);
    expect(summary.json()).toMatchObject({
      source: 'planned',
      added_by_severity: { critical: 0, high: 1, medium: 0, low: 0, info: 0, unknown: 0 },
      resolved_by_severity: { high: 1 },
    });

    const { token } = await client.begin(txId, 'commit');
    const state = JSON.parse(
      estateDocument([block('new', false), block('kept', false)]).toString(),
    ) as unknown;
    const report = await client.report(token, { kind: 'commit', failed: false, output: 'done', state });
    expect({ status: report.status, body: report.bytes.toString() }).toMatchObject({ status: 200 });
    const committed = await impactOf(txId, 'commit');
    expect(lines(committed.findings_added)).toEqual(lines(impact.findings_added));
  }, 180_000);

  it('plans what the commit then does: replaced, moved, keyed and destroyed instances, and what names others', async () => {
    const bucket = (name: string, more: Partial<EstateResource> = {}): EstateResource => ({
      type: 'aws_s3_bucket',
      name,
      attributes: { id: `${name}-0123456789`, bucket: `${name}-0123456789`, acl: 'private' },
      ...more,
    });
    const versioning = (status: string): EstateResource => ({
      type: 'aws_s3_bucket_versioning',
      name: 'elsewhere',
      attributes: { bucket: 'elsewhere-0123456789', versioning_configuration: [{ status }] },
    });
    const group = (cidr: string): EstateResource => ({
      type: 'aws_security_group',
      name: 'web',
      attributes: {
        id: 'sg-1',
        description: 'web',
        ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: [cidr] }],
      },
    });
    const user = (name: string): EstateResource => ({
      type: 'aws_instance',
      name: 'reader',
      attributes: { id: 'i-1', public_ip: '203.0.113.7', vpc_security_group_ids: ['sg-1'] },
      dependencies: [`aws_s3_bucket.${name}`, 'aws_security_group.web'],
    });
    const keyed = (acls: Record<string, string>): EstateResource => ({
      type: 'aws_s3_bucket_acl',
      name: 'each',
      module: 'module.storage',
      instances: Object.entries(acls).map(([key, acl]) => ({
        index_key: key,
        schema_version: 0,
        attributes: { bucket: key, acl },
        sensitive_attributes: [],
      })),
    });
    const elsewhere = new EstateWriter(backend, await backend.aState());
    await elsewhere.write([bucket('elsewhere')]);
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([
      bucket('old'),
      bucket('gone'),
      bucket('replaced'),
      group('10.0.0.0/8'),
      user('old'),
      keyed({ a: 'public-read', b: 'private' }),
    ]);
    await scanned(elsewhere.state.id, 1);
    await scanned(writer.state.id, 1);
    const acl = (key: string, acls: string, actions: string[]): unknown => ({
      ...(planned(
        { type: 'aws_s3_bucket_acl', name: 'each', attributes: { bucket: key, acl: acls } },
        actions,
      ) as object),
      address: `module.storage.aws_s3_bucket_acl.each["${key}"]`,
      module_address: 'module.storage',
    });
    const open = bucket('replaced', { attributes: { ...bucket('replaced').attributes, acl: 'public-read' } });
    const { txId } = await previewed(
      writer.state.id,
      [
        {
          ...(planned(bucket('new'), ['no-op']) as object),
          previous_address: 'aws_s3_bucket.old',
          change: { actions: ['no-op'], after: bucket('old').attributes, after_unknown: {} },
        },
        planned(bucket('gone'), ['delete']),
        planned(open, ['delete', 'create']),
        planned(group('0.0.0.0/0'), ['update']),
        planned(versioning('Enabled'), ['create']),
        acl('a', 'private', ['update']),
        acl('b', 'public-read', ['update']),
      ],
      { named: ['aws_s3_bucket.old', 'aws_s3_bucket.gone'] },
    );
    const before = await impactOf(txId, 'planned');
    const { token } = await client.begin(txId, 'commit');
    const state = JSON.parse(
      estateDocument([
        { ...bucket('new'), attributes: bucket('old').attributes ?? {} },
        open,
        group('0.0.0.0/0'),
        user('new'),
        versioning('Enabled'),
        keyed({ a: 'private', b: 'public-read' }),
      ]).toString(),
    ) as unknown;
    const report = await client.report(token, { kind: 'commit', failed: false, output: 'done', state });
    expect(report.status).toBe(200);
    const after = await impactOf(txId, 'commit');
    const told = ({ findings_added: added, findings_resolved: resolved }: Impact): string[][] =>
      [added, resolved].map((list) =>
        list
          .map((each) =>
            [
              each.check_id,
              each.state_id,
              each.resource_fq_address,
              each.severity_effective,
              each.severity_reason ?? '',
              each.blast_radius_resource_count,
              String(each.is_internet_reachable),
            ].join(' '),
          )
          .sort(),
      );
    const [plannedAdded, plannedResolved] = told(before);
    const [added, resolved] = told(after);
    expect([plannedAdded, plannedResolved]).toEqual([added, resolved]);
    // Nothing of it is empty by accident.
    const addresses = (list: ImpactFinding[]): string[] =>
      [...new Set(list.map((each) => each.resource_fq_address))].sort();
    expect(addresses(after.findings_added)).toEqual([
      'aws_s3_bucket.new',
      'aws_s3_bucket.replaced',
      'aws_security_group.web',
      'module.storage.aws_s3_bucket_acl.each["b"]',
    ]);
    expect(addresses(before.findings_resolved)).toEqual([
      'aws_s3_bucket.elsewhere',
      'aws_s3_bucket.gone',
      'aws_s3_bucket.old',
      'module.storage.aws_s3_bucket_acl.each["a"]',
    ]);
  }, 180_000);

  it('says where the block stands, planned by its own log and later by what was applied', async () => {
    const { id: stateId } = await backend.aState();
    const keyed = { ...block('each', false), module: 'module.sites', name: 'each' };
    const { txId } = await previewed(
      stateId,
      [
        planned(block('new', false), ['create']),
        {
          ...(planned(block('each', false), ['create']) as object),
          address: 'module.sites.aws_s3_bucket_public_access_block.each["eu.1"]',
          module_address: 'module.sites',
          index: 'eu.1',
        },
      ],
      {
        blocks: [
          {
            module: 'module.sites',
            file: 'sites/access.tf',
            start_line: 12,
            end_line: 20,
            data: {
              resource: { aws_s3_bucket_public_access_block: { each: [{ for_each: '${var.sites}' }] } },
            },
          },
          { module: '', file: 'main.tf', data: { module: { sites: [{ source: './sites' }] } } },
        ],
      },
    );
    const places = {
      'aws_s3_bucket_public_access_block.new': ['main.tf', 3, 9],
      'module.sites.aws_s3_bucket_public_access_block.each["eu.1"]': ['sites/access.tf', 12, 20],
    };
    type Placed = Record<'source_file' | 'source_start_line' | 'source_end_line', unknown> & ImpactFinding;
    const placesOf = (findings: readonly ImpactFinding[]): object =>
      Object.fromEntries(
        (findings as Placed[]).map((f) => [
          f.resource_fq_address,
          [f.source_file, f.source_start_line, f.source_end_line],
        ]),
      );
    expect(placesOf((await impactOf(txId, 'planned')).findings_added)).toEqual(places);
    const query = async (where: string): Promise<Record<string, unknown>[]> => {
      const q = `SELECT kind, status, tx_id, resource_fq_address, check_id, source_file, source_start_line, source_end_line FROM security_scan_findings WHERE ${where}`;
      return (await backend.api('GET', `/mql?${new URLSearchParams({ q }).toString()}`)).json() as Record<
        string,
        unknown
      >[];
    };
    const rows = await query(`tx_id = '${txId}'`);
    expect(rows.map(({ kind, status, check_id: id }) => [kind, status, id])).toEqual(
      rows.map(() => ['planned', 'open', 'AWS-S3-001']),
    );
    expect(placesOf(rows as never)).toEqual(places);

    const { token } = await client.begin(txId, 'commit');
    const state = JSON.parse(
      estateDocument([
        block('new', false),
        {
          ...keyed,
          instances: [
            {
              index_key: 'eu.1',
              schema_version: 0,
              attributes: keyed.attributes,
              sensitive_attributes: [],
            },
          ],
        },
      ]).toString(),
    ) as unknown;
    const report = await client.report(token, { kind: 'commit', failed: false, output: 'done', state });
    expect({ status: report.status, body: report.bytes.toString() }).toMatchObject({ status: 200 });
    const committed = await impactOf(txId, 'commit');
    expect(placesOf(committed.findings_added)).toEqual(places);
    // The list of the state, SARIF and SQL read the configuration that was applied; the planned rows are gone.
    const list = await backend.api('GET', `/states/${stateId}/security/findings?check_id=AWS-S3-001`);
    expect(placesOf((list.json() as { findings: ImpactFinding[] }).findings)).toEqual(places);
    expect(await query(`tx_id = '${txId}'`)).toEqual([]);
    expect(placesOf((await query(`state_id = '${stateId}' AND kind = 'current'`)) as never)).toEqual(places);
    const sarif = await backend.api('GET', `/states/${stateId}/security/findings?format=sarif`);
    const { runs } = sarif.json() as {
      runs: {
        results: { locations: { physicalLocation?: { artifactLocation: object; region: object } }[] }[];
      }[];
    };
    expect(
      runs[0]?.results.map(({ locations }) => [
        locations[0]?.physicalLocation?.artifactLocation,
        locations[0]?.physicalLocation?.region,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [
          expect.objectContaining({ uri: 'sites/access.tf' }),
          expect.objectContaining({ startLine: 12, endLine: 20 }),
        ],
      ]),
    );
  }, 180_000);

  it('is gone with an aborted transaction, and refuses strangers', async () => {
    const state = await backend.aState();
    const { txId } = await previewed(state.id, [planned(block('new', false), ['create'])]);
    await impactOf(txId, 'planned');
    const stranger = await backend.aUser();
    const foreign = await backend.aTenant();
    const theirs = await client.create(foreign);
    for (const id of [theirs, '11111111-1111-4111-8111-111111111111'])
      expect((await backend.api('GET', `/tx/${id}/security/impact`, { key: stranger.key })).status).toBe(401);
    expect((await backend.api('POST', `/tx/${txId}/abort`)).status).toBe(200);
    expect((await backend.api('GET', `/tx/${txId}/security/impact`)).status).toBe(404);
    const { rows } = await backend.service.pool.query(
      'SELECT 1 FROM security_planned_findings WHERE tx_id = $1',
      [txId],
    );
    expect(rows).toEqual([]);
  }, 180_000);

  it('is not stored when the transaction is aborted while the plan is scanned', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([block('web', true)]);
    await scanned(writer.state.id, 1);
    const { pool } = backend.service;
    let txId = '';
    await actWhileBlocked(
      pool,
      {
        text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
        values: [ADVISORY_LOCK_CLASSES.securityOfTenant, backend.tenantId],
      },
      {
        begin: async () => {
          ({ txId } = await previewed(writer.state.id, [planned(block('new', false), ['create'])]));
        },
        act: async () => {
          expect((await backend.api('POST', `/tx/${txId}/abort`)).status).toBe(200);
        },
      },
    );
    await eventually('the end of the scan', async () => {
      const { rowCount } = await pool.query(`SELECT FROM bullmq.job WHERE name = 'scan-plan'`);
      return rowCount === 0 ? true : undefined;
    });
    const { rows } = await pool.query(
      `SELECT 1 FROM security_impacts WHERE tx_id = $1
       UNION ALL SELECT 1 FROM security_planned_findings WHERE tx_id = $1
       UNION ALL SELECT 1 FROM security_scans WHERE tx_id = $1`,
      [txId],
    );
    expect(rows).toEqual([]);
    expect((await backend.api('GET', `/tx/${txId}/security/impact`)).status).toBe(404);
  }, 120_000);

  it('tells what a write through the backend did', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([block('a', false)]);
    await scanned(writer.state.id, 1);
    const { rows } = await backend.service.pool.query<{ tx_id: string }>(
      'SELECT tx_id FROM state_versions WHERE state_id = $1',
      [writer.state.id],
    );
    const impact = await impactOf(rows[0]?.tx_id ?? '', 'commit');
    expect(lines(impact.findings_added)).toEqual(['AWS-S3-001 aws_s3_bucket_public_access_block.a']);
  });
});
