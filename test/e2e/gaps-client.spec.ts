import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliHome } from '../support/cli.js';
import { anAccount, awsResource } from '../support/clouds/aws-cloud.js';
import { eventually } from '../support/estate.js';
import { FakeProvider } from '../support/fake-provider/index.js';
import { GapSuite } from '../support/gaps.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

const ACCOUNT = '111111111111';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/inventory`;

describeWith('terraform', 'infrastate gaps', () => {
  let suite: GapSuite;
  let home: CliHome;
  let provider: FakeProvider;
  const workspaces: TerraformWorkspace[] = [];
  beforeAll(async () => {
    suite = await GapSuite.start({ SERVICE_GAPS_FRESH_SECONDS: '1' });
    provider = await FakeProvider.start();
    home = new CliHome({
      ...{ INFRASTATE_API_BASE: `${suite.backend.url}/api/v1/`, INFRASTATE_API_KEY: suite.backend.key },
      INFRASTATE_TENANT_ID: suite.backend.tenantId,
    });
  }, 120_000);
  afterAll(async () => {
    home.remove();
    for (const workspace of workspaces) workspace.remove();
    await provider.stop();
    await suite.stop();
  });

  function aWorkspace(files: Record<string, string>): TerraformWorkspace {
    const workspace = new TerraformWorkspace(files, {
      ...provider.env,
      TF_HTTP_USERNAME: 'session',
      TF_HTTP_PASSWORD: suite.backend.key,
    });
    workspaces.push(workspace);
    return workspace;
  }

  it('configures, lists, writes an import, and Terraform takes the resource in', async () => {
    const config = await home.must<{ status: string; external_id: string }>(['gaps', 'config']);
    expect(config.status).toBe('not_configured');
    expect((await home.run(['gaps', 'analyze'])).code).not.toBe(0);

    // Somebody made a network by hand.
    const byHand = aWorkspace({
      'main.tf': 'resource "aws_vpc" "main" {\n  cidr_block = "10.0.0.0/16"\n}\n',
    });
    await byHand.run(['init', '-no-color']);
    await byHand.run(['apply', '-auto-approve', '-no-color']);
    const [vpc] = provider.objects();
    const arn = `arn:aws:ec2:eu-west-1:${ACCOUNT}:vpc/${vpc?.id ?? ''}`;
    const resources = [
      awsResource(arn, 'ec2:vpc'),
      awsResource(`arn:aws:sns:us-east-1:${ACCOUNT}:t`, 'sns:topic'),
    ];
    suite.aws.accounts.push(anAccount({ id: ACCOUNT, externalId: config.external_id, resources }));

    expect(await home.must(['gaps', 'configure', '--role-arn', ROLE])).toMatchObject({ status: 'ready' });
    const listed = await home.run(['gaps', 'analyze']);
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringMatching(
        /ec2 \(1\)[^]*sns \(1\)[^]*2 resources: 0 managed, 2 unmanaged, 0 made by the cloud/,
      ),
    ]);
    const filtered = await home.must<{ unmanaged_resources: { arn: string }[] }>([
      'gaps',
      'analyze',
      '--region',
      'eu-west-1',
      '--type',
      'ec2:*',
    ]);
    expect(filtered.unmanaged_resources.map((each) => each.arn)).toEqual([arn]);

    const written = await home.run(['gaps', 'import', '--out', 'import', '--type', 'ec2:vpc']);
    expect([written.code, written.stdout]).toEqual([0, expect.stringContaining('terraform apply')]);
    const again = await home.run(['gaps', 'import', '--out', 'import']);
    expect([again.code === 0, again.stderr]).toEqual([false, expect.stringContaining('FILE_EXISTS')]);
    const text = (name: string): string => readFileSync(join(home.directory, 'import', name), 'utf8');
    expect(text('resources.tf')).toContain('resource "aws_vpc"');

    const state = await suite.backend.aState();
    const backend = `terraform {\n  backend "http" {\n    address = "${state.address}"\n  }\n}\n`;
    const workspace = aWorkspace({
      'backend.tf': backend,
      'import.tf': text('import.tf'),
      'providers.tf': text('providers.tf'),
    });
    await workspace.run(['init', '-no-color']);
    await workspace.run(['plan', '-no-color', '-generate-config-out=generated.tf']);
    expect(await workspace.run(['apply', '-auto-approve', '-no-color'])).toContain('1 imported');
    await eventually('the network is managed', async () => {
      const { summary } = (await suite.ask('aws')).body;
      return summary.unmanaged === 1 && summary.managed_by_service['ec2'] === 1 ? true : undefined;
    });
  }, 120_000);
});
