import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PlanSuite } from '../support/plan-suite.js';
import { describeWith } from '../support/terraform.js';

const NETWORK = `
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}
resource "aws_subnet" "a" {
  vpc_id     = aws_vpc.main.id
  cidr_block = "10.0.1.0/24"
}
resource "aws_instance" "web" {
  for_each      = { a = "t3.micro", b = "t3.micro", c = "t3.micro" }
  ami           = "ami-1"
  instance_type = each.value
  subnet_id     = aws_subnet.a.id
}
resource "aws_s3_bucket" "logs" {
  count  = 3
  bucket = "logs-\${count.index}"
}
output "vpc" {
  value = aws_vpc.main.id
}
`;

describeWith('terraform', 'infrastate plan and apply', () => {
  let suite: PlanSuite;

  beforeAll(async () => {
    suite = await PlanSuite.start();
  });
  afterAll(() => suite?.stop());

  /** Of the transaction that the client has named. */
  async function stateOf(output: string): Promise<string> {
    const txId = /Transaction ([-0-9a-f]{36})/.exec(output)?.[1] ?? '';
    const { tx } = (await suite.backend.api('GET', `/tx/${txId}`)).json() as { tx: { state: string } };
    return tx.state;
  }

  it('creates everything, and finds in the service that nothing is left to do', async () => {
    const home = await suite.aHome({ 'main.tf': NETWORK });
    const plan = await home.run(['plan']);
    expect(plan.code).toBe(2);
    expect(plan.stdout).toContain('Plan: 8 to add, 0 to change, 0 to destroy.');
    expect(plan.stdout).not.toContain('terraform apply');
    expect(await home.addresses()).toEqual([]);
    expect(await stateOf(plan.stdout)).toBe('previewed');

    const applied = await home.apply();
    expect(applied).toMatchObject({
      has_changes: true,
      applied: true,
      summary: { add: 8, change: 0, destroy: 0 },
    });
    expect(await home.addresses()).toEqual([
      ...['a', 'b', 'c'].map((key) => `aws_instance.web["${key}"]`),
      ...[0, 1, 2].map((index) => `aws_s3_bucket.logs[${index}]`),
      'aws_subnet.a',
      'aws_vpc.main',
    ]);
    expect(await stateOf(`Transaction ${applied.transaction}`)).toBe('committed');

    const again = await home.run(['plan', '--json']);
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { has_changes: false }]);
    const full = await home.run(['plan', '-full']);
    expect([full.code, full.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
    expect(readdirSync(home.scratch)).toEqual(['terraform.rc']);
  }, 120_000);

  it('plans a change of one block with what it needs, and nothing else', async () => {
    const home = await suite.aHome({ 'main.tf': NETWORK });
    await home.apply();
    home.write({ 'main.tf': NETWORK.replace('b = "t3.micro"', 'b = "t3.large"') });
    const plan = await home.run(['plan']);
    expect(plan.stdout).toContain('aws_instance.web["b"] will be updated in-place');
    expect(plan.stdout).toContain('aws_vpc.main: Refreshing state');
    expect(plan.stdout).not.toContain('aws_s3_bucket');
    expect(plan.stdout).toContain('Plan: 0 to add, 1 to change, 0 to destroy.');
    expect((await home.apply()).operations).toEqual([
      { address: 'aws_instance.web["b"]', operation: 'update' },
    ]);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
    expect((await home.document()).outputs.vpc.value).toMatch(/^vpc-/);
  }, 120_000);

  it('replaces what must be replaced with its dependents, and deletes what is gone', async () => {
    const home = await suite.aHome({ 'main.tf': NETWORK });
    await home.apply();
    const smaller = NETWORK.replace('10.0.0.0/16', '10.1.0.0/16').replace(
      /resource "aws_s3_bucket"[^}]*\{[^}]*\}[^}]*\}/,
      '',
    );
    home.write({ 'main.tf': smaller });
    const applied = await home.apply();
    expect(applied.operations).toEqual([
      { address: 'aws_instance.web["a"]', operation: 'replace' },
      { address: 'aws_instance.web["b"]', operation: 'replace' },
      { address: 'aws_instance.web["c"]', operation: 'replace' },
      ...[0, 1, 2].map((index) => ({ address: `aws_s3_bucket.logs[${index}]`, operation: 'destroy' })),
      { address: 'aws_subnet.a', operation: 'replace' },
      { address: 'aws_vpc.main', operation: 'replace' },
    ]);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
    const existing = new Set(suite.provider.objects().map(({ id }) => id));
    const ids = (await home.document()).resources.flatMap(
      (resource: { instances: { attributes: { id: string } }[] }) =>
        resource.instances.map(({ attributes }) => attributes.id),
    );
    expect(ids.every((id: string) => existing.has(id))).toBe(true);
    home.write({ 'main.tf': '' });
    await home.apply();
    expect(await home.addresses()).toEqual([]);
    expect(ids.some((id: string) => suite.provider.objects().some((object) => object.id === id))).toBe(false);
  }, 120_000);

  it('removes an output that goes alone', async () => {
    const block = 'resource "terraform_data" "a" {\n}\n';
    const home = await suite.aHome({ 'main.tf': `${block}output "o" {\n  value = 1\n}\n` });
    await home.apply();
    home.write({ 'main.tf': block });
    expect(await home.run(['plan'])).toMatchObject({ code: 2 });
    await home.apply();
    expect((await home.document()).outputs).toEqual({});
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
  }, 120_000);

  it('applies exactly the plan that was kept, in a file only its owner can read, and asks before', async () => {
    const home = await suite.aHome({ 'main.tf': 'resource "aws_s3_bucket" "one" {\n  bucket = "kept"\n}\n' });
    const plan = await home.run(['plan', '-out=kept.plan']);
    expect([plan.code, plan.stdout]).toEqual([2, expect.stringContaining('infrastate apply kept.plan')]);
    expect(await stateOf(plan.stdout)).toBe('previewed');
    expect(statSync(join(home.directory, 'kept.plan')).mode & 0o777).toBe(0o600);
    home.write({ 'main.tf': 'resource "aws_s3_bucket" "one" {\n  bucket = "changed later"\n}\n' });
    const applied = await home.run(['apply', 'kept.plan']);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    expect((await home.document()).resources[0].instances[0].attributes.bucket).toBe('kept');

    const refused = await home.run(['apply'], { input: 'no\n' });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('nothing was applied')]);
    const agreed = await home.run(['apply'], { input: 'yes\n' });
    expect(agreed.code).toBe(0);
    expect((await home.document()).resources[0].instances[0].attributes.bucket).toBe('changed later');
  }, 120_000);

  it('says what terraform says of a configuration that cannot be planned, and leaves no active transaction', async () => {
    const home = await suite.aHome({
      'main.tf': 'resource "aws_s3_bucket" "one" {\n  bucket = [nonsense.x.y]\n}\n',
    });
    const plan = await home.run(['plan', '--json']);
    expect(plan.code).toBe(1);
    expect(plan.stderr).toContain('Reference to undeclared resource');
    expect(JSON.parse(plan.stdout)).toEqual({
      error: { id: 'PLAN_FAILED', data: 'terraform could not plan' },
    });
    home.write({ 'main.tf': 'resource "aws_s3_bucket" {\n' });
    expect(await home.run(['plan'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'CONFIGURATION_INVALID: main.tf:2: the resource block is not closed',
      ) as string,
    });
    const { results } = (
      await suite.backend.api('GET', `/tenants/${suite.backend.tenantId}/tx?limit=1`)
    ).json() as {
      results: { state: string }[];
    };
    expect(results).toMatchObject([{ state: 'failed' }]);
  }, 120_000);

  it('knows the state from the http backend of the configuration, and creates it when told to', async () => {
    const home = await suite.aHome({});
    const group = randomUUID();
    const address = `${suite.backend.url}/api/v1/states/backend/${group}/staging`;
    home.write({
      'main.tf':
        'terraform {\n  backend "http" {\n    address = "' +
        address +
        '"\n  }\n}\nresource "terraform_data" "x" {}\n',
    });
    const unknown = await home.run(['plan']);
    expect([unknown.code, unknown.stderr]).toEqual([66, expect.stringContaining('STATE_UNKNOWN')]);
    const { state } = await home.apply(['--create']);
    const made = (await suite.backend.api('GET', `/states/${state.id}`)).json();
    expect(made).toMatchObject({ group_id: group, workspace: 'staging' });
    const named = await home.apply(['--state', 'made by name', '--create', '--workspace', 'w']);
    expect(named.state.name).toBe('made by name');
    expect(await home.addresses()).toEqual([]);
    const env = { INFRASTATE_API_BASE: 'http://localhost:1' };
    expect((await home.run(['plan'], { env })).stderr).toContain('OTHER_SERVICE');
  });

  it('runs where files have their usual names, and brings home those that were made', async () => {
    const home = await suite.aHome({
      'main.tf': `
resource "terraform_data" "files" {
  provisioner "local-exec" {
    command = "cat input.txt data/more.txt > made.txt && mkdir -p out && cp made.txt out/copy.txt"
  }
}
`,
      'input.txt': 'first ',
      'data/more.txt': 'second',
    });
    await home.apply();
    const read = (name: string): string => readFileSync(join(home.directory, name), 'utf8');
    expect([read('made.txt'), read('out/copy.txt'), read('input.txt')]).toEqual([
      'first second',
      'first second',
      'first ',
    ]);
    expect(readdirSync(home.directory).sort()).toEqual(['data', 'input.txt', 'made.txt', 'main.tf', 'out']);
  });

  it('refuses a directory without configuration, so that nothing is destroyed by mistake', async () => {
    const home = await suite.aHome({ 'main.tf': 'resource "terraform_data" "x" {}\n' });
    await home.apply();
    home.write({ 'main.tf': null });
    expect((await home.run(['apply', '-auto-approve'])).stderr).toContain('NO_CONFIGURATION');
    expect(await home.addresses()).toEqual(['terraform_data.x']);
  });
});
