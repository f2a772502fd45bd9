import { CliHome } from '../support/cli.js';
import { type EstateResource, EstateWriter, eventually } from '../support/estate.js';
import { PlanSuite } from '../support/plan-suite.js';
import { describeWith } from '../support/terraform.js';

const block = (name: string, blocks: boolean): EstateResource => ({
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
});
const LARGE = { a: 'instance_type', op: 'eq', v: 't3.large' };

interface Impact {
  findings_added: { check_id: string; resource_fq_address: string }[];
  findings_resolved: { check_id: string; resource_fq_address: string }[];
}

describeWith('terraform', 'infrastate security', () => {
  let suite: PlanSuite;
  let home: CliHome;
  let writer: EstateWriter;

  beforeAll(async () => {
    suite = await PlanSuite.start();
    home = new CliHome({
      INFRASTATE_API_BASE: suite.backend.url,
      INFRASTATE_API_KEY: suite.backend.key,
      INFRASTATE_TENANT_ID: suite.backend.tenantId,
    });
    writer = new EstateWriter(suite.backend, await suite.backend.aState());
    await writer.write([block('logs', false), block('safe', true)]);
    await eventually('scan', async () =>
      (await home.must<{ findings: unknown[] }>(['security', 'findings', writer.state.id])).findings.length >
      0
        ? true
        : undefined,
    );
  }, 120_000);
  afterAll(async () => {
    home?.remove();
    await suite?.stop();
  });

  it('lists findings as table, JSON and SARIF, and fails on a severity', async () => {
    const listed = await home.run(['security', 'findings', writer.state.id]);
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^SEVERITY +CHECK +RESOURCE[^]*AWS-S3-001 +aws_s3_bucket_public_access_block\.logs/,
      ),
    ]);
    expect(listed.stdout).not.toContain('.safe');
    const args = ['security', 'findings', writer.state.id, '--check', 'CKV_AWS_53'];
    const json = await home.run([...args, '--format', 'json']);
    expect(json.json<{ findings: { check_id: string }[] }>().findings.map((one) => one.check_id)).toEqual([
      'AWS-S3-001',
    ]);
    const sarif = await home.run([...args, '--format', 'sarif', '--fail-on', 'high']);
    expect([sarif.code, sarif.json<{ version: string }>().version]).toEqual([3, '2.1.0']);
    expect((await home.run([...args, '--fail-on', 'critical'])).code).toBe(0);
    expect((await home.run([...args, '--severity', 'low', '--fail-on', 'info'])).code).toBe(0);
    expect((await home.run([...args, '--fail-on', 'severe'])).code).toBe(64);
    expect((await home.run([...args, '--format', 'xml'])).code).toBe(64);
    expect((await home.run(['security', 'findings', 'no such state'])).code).toBe(66);
  });

  it('sums up, scans, lists scans and shows the history', async () => {
    const summary = await home.run(['security', 'summary', writer.state.id]);
    expect(summary.stdout).toMatch(/^\d+ open findings: .*1 high/);
    const scan = await home.must<{ triggered_by: string }>(['security', 'scan', writer.state.id]);
    expect(scan.triggered_by).toBe('manual');
    const { scans } = await home.must<{ scans: { triggered_by: string }[] }>([
      'security',
      'scans',
      writer.state.id,
    ]);
    expect(scans.map((one) => one.triggered_by)).toEqual(['manual', 'backend_write']);
    const { points } = await home.must<{ points: unknown[] }>(['security', 'history']);
    expect(points).toHaveLength(30);
    const bad = await home.run(['security', 'history', '--from', 'yesterday', '--json']);
    expect([bad.code, bad.json<{ error: { id: string } }>().error.id]).toEqual([1, 'INVALID_DATE_PARAM']);
  });

  it('accepts a risk and takes that back', async () => {
    const open = async (): Promise<number> =>
      (
        await home.must<{ findings: unknown[] }>([
          ...['security', 'findings', writer.state.id, '--check', 'AWS-S3-001'],
        ])
      ).findings.length;
    const waiver = await home.must<{ id: string; matches: number }>([
      ...['security', 'waivers', 'create', 'CKV_AWS_53', '--reason', 'a public site'],
      ...['--address', 'aws_s3_bucket_public_access_block.*', '--state', writer.state.id],
    ]);
    expect([waiver.matches, await open()]).toEqual([1, 0]);
    expect((await home.run(['security', 'waivers', 'list'])).stdout).toContain('a public site');
    expect((await home.run(['security', 'waivers', 'delete', waiver.id])).code).toBe(0);
    expect([await open(), (await home.run(['security', 'waivers', 'delete', waiver.id])).code]).toEqual([
      1, 66,
    ]);
    expect((await home.run(['security', 'waivers', 'create', 'AWS-S3-001'])).code).toBe(64);
  });

  it('tells what a plan adds, with modules and for_each, and the commit does just that', async () => {
    const { backend } = suite;
    const saved = await backend.api('PUT', `/tenants/${backend.tenantId}/security/checks/CUSTOM-LARGE`, {
      body: {
        title: 'Instances must not be large',
        severity: 'high',
        resource_types: ['aws_instance'],
        fail: LARGE,
      },
    });
    expect(saved.status).toBe(200);
    const main = (sizes: Record<string, string>): string => `
module "web" {
  source = "./web"
  sizes  = { ${Object.entries(sizes)
    .map(([key, size]) => `"${key}" = "${size}"`)
    .join(', ')} }
}
`;
    const module = `
variable "sizes" { type = map(string) }
resource "aws_instance" "node" {
  for_each      = var.sizes
  ami           = "ami-1"
  instance_type = each.value
}
`;
    const project = await suite.aHome({
      'main.tf': main({ 'a.b': 't3.large', c: 't3.micro' }),
      'web/main.tf': module,
    });
    await project.apply();
    await settled(project.state.id);
    project.write({ 'main.tf': main({ 'a.b': 't3.micro', c: 't3.large', d: 't3.large' }) });
    const env = { INFRASTATE_SECURITY_WAIT_SECONDS: '60' };
    const plan = await project.run(['plan', '--out', 'kept.plan'], { env });
    expect([plan.code, plan.stdout]).toEqual([
      2,
      // The new instance has findings of other checks as well.
      expect.stringMatching(/^Security: \d+ findings added \(.*\d high.*\), 1 resolved$/m),
    ]);
    const txId = /Transaction ([-0-9a-f]{36})/.exec(plan.stdout)?.[1] ?? '';
    const planned = await impactOf(txId, 'planned');
    expect(planned.added).toEqual(
      ['c', 'd'].map((key) => `CUSTOM-LARGE module.web.aws_instance.node["${key}"]`),
    );
    expect(planned.resolved).toEqual(['CUSTOM-LARGE module.web.aws_instance.node["a.b"]']);
    const failing = await home.run(['security', 'impact', txId, '--fail-on', 'high']);
    expect([failing.code, failing.stdout]).toEqual([3, expect.stringContaining('Resolved:')]);
    expect((await project.run(['apply', 'kept.plan'])).code).toBe(0);
    expect(await impactOf(txId, 'commit')).toEqual(planned);
  }, 180_000);

  async function settled(stateId: string): Promise<void> {
    await eventually('scan of the newest version', async () => {
      const { version } = (await suite.backend.api('GET', `/states/${stateId}`)).json() as {
        version: number;
      };
      const { scan } = (await suite.backend.api('GET', `/states/${stateId}/security/findings`)).json() as {
        scan?: { version: number };
      };
      return scan && scan.version >= version ? true : undefined;
    });
  }

  async function impactOf(
    txId: string,
    source: 'planned' | 'commit',
  ): Promise<{ added: string[]; resolved: string[] }> {
    const impact = await eventually(`${source} impact`, async () => {
      const answer = await suite.backend.api('GET', `/tx/${txId}/security/impact`);
      const body = answer.json() as Impact & { source?: string };
      return body.source === source ? body : undefined;
    });
    const lines = (list: Impact['findings_added']): string[] =>
      list
        .filter(({ check_id: id }) => id.startsWith('CUSTOM'))
        .map(({ check_id: id, resource_fq_address: address }) => `${id} ${address}`)
        .sort();
    return { added: lines(impact.findings_added), resolved: lines(impact.findings_resolved) };
  }
});
