import { anAccount, type AwsAccount, awsResource } from '../support/clouds/aws-cloud.js';
import { eventually } from '../support/estate.js';
import { GapSuite } from '../support/gaps.js';
import { startService } from '../support/service.js';

const ACCOUNT = '111111111111';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/inventory`;
const topics = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    awsResource(`arn:aws:sns:eu-west-1:${ACCOUNT}:t${String(at).padStart(6, '0')}`, 'sns:topic'),
  );

describe('Scans of AWS', () => {
  let suite: GapSuite;
  let account: AwsAccount;
  beforeAll(async () => {
    suite = await GapSuite.start();
    account = anAccount({ id: ACCOUNT, externalId: await suite.externalId(), resources: topics(10) });
    suite.aws.accounts.push(account);
    await suite.config({ provider: 'aws', role_arn: ROLE });
  });
  afterAll(() => suite.stop());
  beforeEach(() => {
    suite.aws.heal();
    Object.assign(account, anAccount({ id: ACCOUNT, externalId: account.externalId, resources: topics(10) }));
    suite.aws.credentialLifetimeMs = 3_600_000;
  });

  it('read more than 1,000 resources, with throttling, cut connections, credentials and page tokens that expire', async () => {
    account.resources = topics(5_000);
    suite.aws.credentialLifetimeMs = 2_000;
    suite.aws.refusedTokens = 1;
    suite.aws.fail(
      'ListResources',
      { kind: 'status', status: 429, type: 'ThrottlingException' },
      { kind: 'cut' },
      { kind: 'status', status: 500, type: 'InternalServerException' },
    );
    expect((await suite.scanned('aws')).summary).toMatchObject({
      total_cloud_resources: 5_000,
      unmanaged: 5_000,
    });
    expect(suite.aws.count('AssumeRole')).toBeGreaterThan(2);
  });

  it('read each region by itself without an aggregator, and a resource that two regions list once', async () => {
    account.indexes = [
      { region: 'eu-west-1', type: 'LOCAL' },
      { region: 'us-east-1', type: 'LOCAL' },
    ];
    account.views = ['eu-west-1', 'us-east-1'];
    account.resources = [
      ...topics(3),
      awsResource(`arn:aws:sns:us-east-1:${ACCOUNT}:u`, 'sns:topic'),
      awsResource(`arn:aws:iam::${ACCOUNT}:role/r`, 'iam:role'),
    ];
    await suite.config({ provider: 'aws', role_arn: ROLE });
    const config = await suite.backend.api('GET', suite.path('/config?provider=aws'));
    expect(config.json()).toMatchObject({
      status: 'partial',
      ready_for_gap_analysis: true,
      has_aggregator: false,
      aggregator_region: null,
    });
    expect((config.json() as { warnings: { code: string }[] }).warnings.map(({ code }) => code)).toContain(
      'NO_AGGREGATOR',
    );
    expect((await suite.scanned('aws')).summary.total_cloud_resources).toBe(5);
  });

  it.each([
    ['NO_INDEX', { indexes: [], views: [] }],
    ['NO_VIEW', { views: [] }],
  ])('are not ready with %s', async (code, values) => {
    Object.assign(account, values);
    const put = await suite.config({ provider: 'aws', role_arn: ROLE });
    expect(put.json()).toMatchObject({ status: 'partial', ready_for_gap_analysis: false });
    expect((put.json() as { warnings: { code: string }[] }).warnings.map((each) => each.code)).toContain(
      code,
    );
    await expect(suite.scanned('aws')).rejects.toThrow('NOT_READY');
  });

  it('take default VPCs and managed keys for phantoms where EC2 and KMS may be asked', async () => {
    const arn = (service: string, rest: string): string => `arn:aws:${service}:eu-west-1:${ACCOUNT}:${rest}`;
    account.defaultVpcs = ['vpc-0d'];
    account.managedKeys = ['k-aws'];
    account.resources = [
      ...[
        'vpc/vpc-0d',
        'subnet/subnet-0d',
        'security-group/sg-0d',
        'security-group/sg-other',
        'dhcp-options/dopt-0d',
      ].map((rest) => awsResource(arn('ec2', rest), `ec2:${rest.split('/')[0]}`)),
      ...['key/k-aws', 'key/own-key'].map((rest) => awsResource(arn('kms', rest), 'kms:key')),
    ];
    const put = await suite.config({ provider: 'aws', role_arn: ROLE });
    expect(put.json()).toMatchObject({ status: 'ready', warnings: [] });
    const { summary, unmanaged_resources } = await suite.scanned('aws');
    expect(summary).toMatchObject({ total_cloud_resources: 7, unmanaged: 2, phantom_filtered: 5 });
    expect(unmanaged_resources.map(({ id }) => id)).toEqual([
      arn('ec2', 'security-group/sg-other'),
      arn('kms', 'key/own-key'),
    ]);
  });

  it.each([
    ['ACCESS_DENIED', { kind: 'status', status: 403, type: 'AccessDeniedException' } as const],
    ['INVALID_RESPONSE', { kind: 'html' } as const],
    [
      'INVALID_RESPONSE',
      {
        kind: 'text',
        body: JSON.stringify({ Resources: [{ Arn: `arn:aws:sns:r:1:${'x'.repeat(10_000_000)}` }] }),
      } as const,
    ],
    [
      'INVALID_RESPONSE',
      { kind: 'text', body: JSON.stringify({ Resources: [], NextToken: 'again' }) } as const,
    ],
  ])('fail with %s, and keep the older inventory', async (code, fault) => {
    await suite.config({ provider: 'aws', role_arn: ROLE });
    await suite.scanned('aws');
    suite.aws.failAlways('ListResources', fault);
    await expect(suite.scanned('aws')).rejects.toThrow(code);
    const { status, body } = await suite.ask('aws');
    expect([status, body]).toMatchObject([
      200,
      {
        summary: { total_cloud_resources: 10 },
        error: { code, action: expect.stringMatching(/ListResources/) as string },
      },
    ]);
  });

  it('give up on page tokens that always expire, and keep the older inventory', async () => {
    await suite.config({ provider: 'aws', role_arn: ROLE });
    await suite.scanned('aws');
    account.resources = topics(1_500);
    suite.aws.refusedTokens = Infinity;
    await expect(suite.scanned('aws')).rejects.toThrow('ValidationException');
    const { body } = await suite.ask('aws');
    expect(body).toMatchObject({ summary: { total_cloud_resources: 10 }, error: { code: 'CLOUD_ERROR' } });
  });

  it('store names and tags of any characters, and refuse ids that cannot be stored', async () => {
    const [first] = topics(1);
    const odd = (Value: string) => [
      { Name: 'tags', LastReportedAt: '2026-01-02T03:04:05Z', Data: [{ Key: `k${Value}`, Value }] },
    ];
    account.resources = ['a\0b', '\ud800', '\\N', '\t\n"\\', '{"a":1}', '__proto__'].map((value, at) => ({
      ...(first ?? awsResource('', '')),
      Arn: `arn:aws:sns:eu-west-1:${ACCOUNT}:odd-${at}\t\\"{},`,
      Properties: odd(value),
    }));
    await suite.config({ provider: 'aws', role_arn: ROLE });
    const { unmanaged_resources: found } = await suite.scanned('aws');
    expect(found.map(({ id }) => id)).toEqual(account.resources.map(({ Arn }) => Arn));
    expect(found.map(({ tags }) => Object.values(tags ?? {})[0])).toEqual([
      ...['a\ufffdb', '\ufffd', '\\N', '\t\n"\\', '{"a":1}', '__proto__'],
    ]);
    account.resources = [{ ...(first ?? awsResource('', '')), Arn: `arn:aws:sns:eu-west-1:${ACCOUNT}:a\0b` }];
    await expect(suite.scanned('aws')).rejects.toThrow('INVALID_RESPONSE');
  });

  it('answer the configuration in time when the cloud is silent', async () => {
    suite.aws.failAlways('ListIndexes', { kind: 'silence' });
    const put = await suite.config({ provider: 'aws', role_arn: ROLE });
    expect(put.json()).toMatchObject({ status: 'error', warnings: [{ code: 'UNREACHABLE' }] });
  });

  it('are refused by AWS for a tenant that names another tenant’s role', async () => {
    const thief = await suite.backend.aTenant();
    expect(await suite.externalId(thief)).not.toBe(account.externalId);
    const put = await suite.config({ provider: 'aws', role_arn: ROLE }, thief);
    expect(put.json()).toMatchObject({
      status: 'error',
      ready_for_gap_analysis: false,
      warnings: [{ code: 'ACCESS_DENIED' }],
    });
    await expect(suite.scanned('aws', thief)).rejects.toThrow('ACCESS_DENIED');
  });

  it('run once for ten requests on two replicas', async () => {
    await suite.config({ provider: 'aws', role_arn: ROLE });
    const other = await startService({ database: suite.backend.service.database, env: suite.env });
    try {
      const urls = [suite.backend.url, other.url];
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          fetch(`${urls[at % 2]}/api/v1${suite.path('?provider=aws')}`, {
            headers: { authorization: `Bearer ${suite.backend.key}` },
          }).then(async (answer) => ({
            status: answer.status,
            task: ((await answer.json()) as { task_id?: string }).task_id,
          })),
        ),
      );
      expect(answers.every(({ status }) => status === 202 || status === 200)).toBe(true);
      expect(new Set(answers.flatMap(({ task }) => task ?? [])).size).toBe(1);
    } finally {
      await other.stop();
    }
  });

  it('go on after a kill of the worker with the page after the last one that was stored', async () => {
    await suite.config({ provider: 'aws', role_arn: ROLE });
    await suite.scanned('aws');
    // 11 pages, of which the first five are stored together.
    account.resources = topics(10_000);
    const begun = suite.aws.count('ListResources');
    suite.aws.failAfter('ListResources', 8, { kind: 'silence' });
    expect((await suite.ask('aws', 'no-cache')).status).toBe(202);
    await eventually('five pages are stored, and the cloud is silent', async () => {
      const { rows } = await suite.backend.service.pool.query<{ page: string | null }>(
        `SELECT position ->> 'page' AS page FROM gap_scans WHERE tenant_id = $1 AND provider = 'aws'`,
        [suite.backend.tenantId],
      );
      return rows[0]?.page && suite.aws.count('ListResources') - begun > 8 ? true : undefined;
    });
    await suite.worker.kill9();
    expect((await suite.ask('aws')).body.summary.total_cloud_resources).toBe(10);
    const before = suite.aws.count('ListResources');
    suite.aws.heal();
    await suite.worker.restart();
    await eventually('the scan goes on', async () =>
      (await suite.ask('aws')).body.summary.total_cloud_resources === 10_000 ? true : undefined,
    );
    expect(suite.aws.count('ListResources') - before).toBe(6);
    const { rows } = await suite.backend.service.pool.query(
      `SELECT count(DISTINCT inventory_id)::int AS inventories, count(*)::int AS resources FROM gap_inventory WHERE tenant_id = $1`,
      [suite.backend.tenantId],
    );
    expect(rows).toEqual([{ inventories: 1, resources: 10_000 }]);
  }, 120_000);
});
