import { join } from 'node:path';
import { PlanSuite } from '../support/plan-suite.js';
import { describeWith } from '../support/terraform.js';

const MODULE = `
variable "name" {
  type = string
}
variable "zones" {
  type    = list(string)
  default = ["a"]
}
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
  tags       = { Name = var.name, Path = path.module }
}
module "part" {
  source   = "./part"
  for_each = toset(var.zones)
  vpc_id   = aws_vpc.main.id
  zone     = each.key
}
output "vpc" {
  value = aws_vpc.main.id
}
output "parts" {
  value = { for zone, part in module.part : zone => part.id }
}
`;
const PART = `
variable "vpc_id" {}
variable "zone" {}
resource "aws_subnet" "s" {
  count             = 2
  vpc_id            = var.vpc_id
  cidr_block        = "10.0.\${count.index}.0/24"
  availability_zone = var.zone
}
output "id" {
  value = aws_subnet.s[0].id
}
`;

describeWith('terraform', 'infrastate with modules, variables, secrets and files', () => {
  let suite: PlanSuite;

  beforeAll(async () => {
    suite = await PlanSuite.start();
  });
  afterAll(() => suite?.stop());

  it('plans modules, nested, called twice, with count and for_each, and only the call that changed', async () => {
    const main = `
module "one" {
  source = "./net"
  name   = "one"
}
module "two" {
  source = "./net"
  count  = 2
  name   = "two-\${count.index}"
  zones  = ["a", "b"]
}
output "all" {
  value = [module.one.vpc, module.two[*].parts]
}
`;
    const home = await suite.aHome({ 'main.tf': main, 'net/main.tf': MODULE, 'net/part/main.tf': PART });
    expect(await home.apply()).toMatchObject({ summary: { add: 13, change: 0, destroy: 0 } });
    expect(await home.plainPlan()).toMatchObject({ code: 0 });

    home.write({ 'main.tf': main.replace('"one"\n}', '"uno"\n}') });
    const plan = await home.run(['plan']);
    expect(plan.stdout).toContain('module.one.aws_vpc.main will be updated in-place');
    expect(plan.stdout).not.toContain('module.two[0].aws_vpc.main will');
    expect(await home.apply()).toMatchObject({
      operations: [{ address: 'module.one.aws_vpc.main', operation: 'update' }],
    });
    expect(await home.plainPlan()).toMatchObject({ code: 0 });

    home.write({ 'net/part/main.tf': PART.replace('10.0.', '10.9.') });
    expect(await home.apply()).toMatchObject({ summary: { add: 10, change: 0, destroy: 10 } });
    home.write({ 'main.tf': main.replace('count  = 2', 'count  = 1').replace(', "b"]', ']') });
    await home.apply();
    expect((await home.addresses()).filter((address) => address.startsWith('module.two'))).toEqual([
      'module.two[0].aws_vpc.main',
      'module.two[0].module.part["a"].aws_subnet.s[0]',
      'module.two[0].module.part["a"].aws_subnet.s[1]',
    ]);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
  }, 180_000);

  it('takes variables from every source and plans what a changed value changes', async () => {
    const home = await suite.aHome({
      'main.tf': `
variable "acl" {}
variable "name" {
  type    = object({ prefix = string, count = optional(number, 1) })
}
resource "aws_s3_bucket" "b" {
  count  = var.name.count
  bucket = "\${var.name.prefix}-\${count.index}"
  acl    = var.acl
}
resource "aws_s3_bucket" "other" {
  bucket = "other"
}
output "names" {
  value = aws_s3_bucket.b[*].bucket
}
`,
      'terraform.tfvars': 'acl = "private"\n',
      'name.auto.tfvars.json': '{"name": {"prefix": "x", "count": 2}}',
    });
    expect(await home.apply()).toMatchObject({ summary: { add: 3 } });
    expect(await home.apply(['-var', 'acl=public'])).toMatchObject({
      summary: { add: 0, change: 2, destroy: 0 },
    });
    home.write({ 'more.tfvars': 'name = { prefix = "x" }\n' });
    const options = ['-var=acl=public', '-var-file=more.tfvars'];
    expect(await home.apply(options)).toMatchObject({
      operations: [{ address: 'aws_s3_bucket.b[1]', operation: 'destroy' }],
    });
    expect(await home.plainPlan(options)).toMatchObject({ code: 0 });
    expect((await home.document()).outputs.names.value).toEqual(['x-0']);
    const env = { TF_VAR_acl: 'overridden by the file' };
    expect(await home.run(['plan', '--json', '-var-file=more.tfvars'], { env })).toMatchObject({ code: 2 });
  }, 120_000);

  it('stores no sensitive or ephemeral value, masks those of attributes and outputs, and notices their change', async () => {
    const main = `
variable "password" {
  sensitive = true
}
variable "token" {
  type      = object({ value = string })
  ephemeral = true
}
provider "aws" {
  profile = var.token.value
}
resource "aws_db_instance" "db" {
  engine         = "postgres"
  instance_class = "small"
  password       = var.password
}
output "secret" {
  value     = var.password
  sensitive = true
}
`;
    const home = await suite.aHome({ 'main.tf': main });
    const env = { TF_VAR_password: 'hunter2-the-first', TF_VAR_token: '{ value = "ephemeral-$${x}-value" }' };
    const applied = await home.apply([], { env });
    expect((await home.document()).resources[0].instances[0].attributes.password).toBe('hunter2-the-first');
    const rows = await everythingStored(applied.transaction);
    expect(rows).toContain('aws_db_instance');
    expect(rows).not.toContain('hunter2');
    expect(rows).not.toContain('ephemeral-');
    const instances = (await suite.backend.api('GET', `/states/${home.state.id}/instances`)).bytes.toString();
    expect(instances).toContain('aws_db_instance.db');
    expect(instances).not.toContain('hunter2');

    expect(await home.run(['plan'], { env })).toMatchObject({ code: 0 });
    const changed = await home.apply([], { env: { ...env, TF_VAR_password: 'hunter2-the-second' } });
    expect(changed.operations).toEqual([{ address: 'aws_db_instance.db', operation: 'update' }]);
    expect(await everythingStored(changed.transaction)).not.toContain('hunter2');
  }, 120_000);

  it('sends the files that expressions read, and plans what depends on one that changed', async () => {
    const home = await suite.aHome({
      'main.tf': `
resource "aws_instance" "web" {
  ami           = "ami-1"
  instance_type = "t3.micro"
  user_data     = templatefile("\${path.module}/init/user.tftpl", { name = "n" })
}
resource "aws_s3_bucket" "big" {
  bucket = filesha256("big.bin")
}
resource "aws_s3_bucket" "other" {
  bucket = "none"
}
`,
      'init/user.tftpl': 'hello ${name}${file("init/more.txt")}\n',
      'init/more.txt': 'one',
      'big.bin': 'x'.repeat(2_000_000),
    });
    await home.apply();
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
    home.write({ 'init/more.txt': 'two' });
    expect((await home.apply()).operations).toEqual([{ address: 'aws_instance.web', operation: 'update' }]);
    home.write({ 'init/user.tftpl': 'good day ${name}\n' });
    expect((await home.apply()).operations).toEqual([{ address: 'aws_instance.web', operation: 'update' }]);
    home.write({ 'big.bin': 'y'.repeat(2_000_000) });
    expect((await home.apply()).operations).toEqual([{ address: 'aws_s3_bucket.big', operation: 'replace' }]);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
  }, 120_000);

  it('notices the change of a file elsewhere, and does not send it', async () => {
    const home = await suite.aHome({ 'conf/a.txt': 'one' });
    const file = join(home.directory, 'conf', 'a.txt');
    home.write({
      'main.tf': `
resource "aws_s3_bucket" "absolute" {
  bucket = file("${file}")
}
resource "aws_s3_bucket" "home" {
  bucket = file("~/conf/a.txt")
}
`,
    });
    const { transaction } = await home.apply();
    home.write({ 'conf/a.txt': 'two' });
    expect((await home.apply()).operations).toEqual([
      { address: 'aws_s3_bucket.absolute', operation: 'replace' },
      { address: 'aws_s3_bucket.home', operation: 'replace' },
    ]);
    const { rows } = await suite.backend.service.pool.query<{ content: string }>(
      "SELECT data ->> 'content' AS content FROM transaction_logs WHERE tx_id = $1 AND object_type = 'file'",
      [transaction],
    );
    expect(rows.map(({ content }) => Buffer.from(content, 'base64').toString())).toEqual(
      Array(2).fill(expect.stringMatching(/^not sent; SHA-256 [0-9a-f]{64}\n$/)),
    );
  }, 120_000);

  it('follows moved, removed and imported things, and configuration in JSON', async () => {
    const home = await suite.aHome({
      'main.tf':
        'resource "aws_s3_bucket" "old" {\n  bucket = "moves"\n}\nresource "aws_s3_bucket" "gone" {\n  bucket = "stays in the cloud"\n}\n',
    });
    await home.apply();
    const [old] = (await home.document()).resources.filter(({ name }: { name: string }) => name === 'old');
    home.write({
      'main.tf': `
moved {
  from = aws_s3_bucket.old
  to   = aws_s3_bucket.new["k"]
}
removed {
  from = aws_s3_bucket.gone
  lifecycle {
    destroy = false
  }
}
`,
      'new.tf.json': JSON.stringify({
        resource: { aws_s3_bucket: { new: { for_each: { k: 'moves' }, bucket: '${each.value}' } } },
      }),
    });
    await home.apply();
    expect(await home.addresses()).toEqual(['aws_s3_bucket.new["k"]']);
    expect((await home.document()).resources[0].instances[0].attributes.id).toBe(
      old.instances[0].attributes.id,
    );
    const kept = suite.provider
      .objects()
      .find(({ attributes }) => attributes['bucket'] === 'stays in the cloud');
    expect(kept).toBeDefined();
    home.write({
      'import.tf': `import {\n  to = aws_s3_bucket.again\n  id = "${kept?.id}"\n}\nresource "aws_s3_bucket" "again" {\n  bucket = "stays in the cloud"\n}\n`,
    });
    await home.apply();
    expect(await home.addresses()).toEqual(['aws_s3_bucket.again', 'aws_s3_bucket.new["k"]']);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
  }, 120_000);

  /** Every row that says anything of the transaction, but for the state document itself. */
  async function everythingStored(txId: string): Promise<string> {
    const { pool } = suite.backend.service;
    const tables = [
      'transaction_logs',
      'transaction_plans',
      'transaction_plan_operations',
      'transaction_output',
      'transactions',
    ];
    const rows = await Promise.all(
      tables.map((table) =>
        pool.query(`SELECT * FROM ${table} AS r WHERE ${table === 'transactions' ? 'id' : 'tx_id'} = $1`, [
          txId,
        ]),
      ),
    );
    const audit = await pool.query('SELECT * FROM audit_entries');
    const configuration = await pool.query('SELECT * FROM state_configuration');
    return JSON.stringify([...rows.map((result) => result.rows), audit.rows, configuration.rows]);
  }
});
