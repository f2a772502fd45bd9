import { anAccount, awsResource } from '../support/clouds/aws-cloud.js';
import { EstateWriter, eventually } from '../support/estate.js';
import { GapSuite } from '../support/gaps.js';

const ACCOUNT = '111111111111';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/inventory`;
const arn = (service: string, resource: string, region = 'eu-west-1'): string =>
  `arn:aws:${service}:${region}:${ACCOUNT}:${resource}`;

describe('Gap analysis of AWS', () => {
  let suite: GapSuite;
  beforeAll(async () => {
    suite = await GapSuite.start();
    suite.aws.accounts.push(anAccount({ id: ACCOUNT, externalId: await suite.externalId() }));
  }, 180_000);
  afterAll(() => suite.stop());
  beforeEach(() => suite.aws.heal());

  const account = () => {
    const [first] = suite.aws.accounts;
    if (!first) throw new Error('no account');
    return first;
  };

  it('is not configured at first, and says so', async () => {
    const config = await suite.backend.api('GET', suite.path('/config?provider=aws'));
    expect([config.status, config.json()]).toEqual([
      200,
      {
        ...{
          provider: 'aws',
          status: 'not_configured',
          ready_for_gap_analysis: false,
          ready_for_terraform_import: false,
        },
        ...{
          has_aggregator: false,
          aggregator_region: null,
          indexed_regions: [],
          index_count: 0,
          warnings: [],
        },
        external_id: expect.stringMatching(/^[\w-]{32}$/),
      },
    ]);
    const analysis = await suite.backend.api('GET', suite.path('?provider=aws'));
    expect([analysis.status, analysis.json()]).toMatchObject([409, { id: 'GAPS_NOT_CONFIGURED' }]);
  });

  it('describes the account before it is scanned', async () => {
    const put = await suite.config({ provider: 'aws', role_arn: ROLE });
    expect([put.status, put.json()]).toEqual([
      200,
      {
        ...{
          provider: 'aws',
          status: 'ready',
          ready_for_gap_analysis: true,
          ready_for_terraform_import: true,
        },
        ...{
          has_aggregator: true,
          aggregator_region: 'eu-west-1',
          indexed_regions: ['eu-west-1', 'us-east-1'],
          index_count: 2,
        },
        warnings: [{ code: 'DEFAULTS_NOT_TOLD', message: expect.any(String) }],
        ...{ role_arn: ROLE, external_id: account().externalId },
      },
    ]);
  });

  it('lists what no state manages, and moves a resource when a state takes it in or forgets it', async () => {
    const resources = [
      awsResource(arn('ec2', 'instance/i-0aaa1111'), 'ec2:instance', { Name: 'web' }),
      awsResource(arn('ec2', 'instance/i-0bbb2222'), 'ec2:instance'),
      awsResource('arn:aws:s3:::logs', 's3:bucket', {}, { region: 'eu-west-1' }),
      awsResource(arn('logs', 'log-group:/app:*'), 'logs:log-group'),
      awsResource(`arn:aws:iam::${ACCOUNT}:role/aws-service-role/x/y`, 'iam:role'),
    ];
    account().resources = resources;
    const before = await suite.scanned('aws');
    expect(before.summary).toEqual({
      ...{
        total_aws_resources: 5,
        total_cloud_resources: 5,
        managed_by_service: {},
        unmanaged: 4,
        phantom_filtered: 1,
      },
    });
    expect(before.unmanaged_resources.map(({ id }) => id)).toEqual([
      arn('ec2', 'instance/i-0aaa1111'),
      arn('ec2', 'instance/i-0bbb2222'),
      arn('logs', 'log-group:/app:*'),
      'arn:aws:s3:::logs',
    ]);
    expect(before.unmanaged_resources[0]).toEqual({
      ...{
        provider: 'aws',
        service: 'ec2',
        resource_type: 'ec2:instance',
        supported: true,
        region: 'eu-west-1',
      },
      ...{
        arn: arn('ec2', 'instance/i-0aaa1111'),
        id: arn('ec2', 'instance/i-0aaa1111'),
        owning_account_id: ACCOUNT,
      },
      tags: { Name: 'web' },
    });

    const scans = suite.aws.count('ListResources');
    const writer = new EstateWriter(suite.backend, await suite.backend.aState());
    const group = {
      type: 'aws_cloudwatch_log_group',
      name: 'app',
      attributes: { id: '/app', arn: arn('logs', 'log-group:/app') },
    };
    const web = { type: 'aws_instance', name: 'web', attributes: { id: 'i-0aaa1111' } };
    await writer.write([web, group]);
    const after = await eventually('the new comparison', async () => {
      const { body } = await suite.ask('aws');
      return body.summary.unmanaged === 2 ? body : undefined;
    });
    expect(after.summary).toMatchObject({
      managed_by_service: { ec2: 1, logs: 1 },
      unmanaged: 2,
      phantom_filtered: 1,
    });
    await writer.write([group]);
    await eventually('the resource is unmanaged again', async () =>
      (await suite.ask('aws')).body.summary.unmanaged === 3 ? true : undefined,
    );
    await suite.backend.api('DELETE', `/states/${writer.state.id}`);
    await eventually('all are unmanaged again', async () =>
      (await suite.ask('aws')).body.summary.unmanaged === 4 ? true : undefined,
    );
    expect(suite.aws.count('ListResources')).toBe(scans);
  });
});
