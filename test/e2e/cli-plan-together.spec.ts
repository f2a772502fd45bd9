import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ended, type PlanHome, type RunOutcome } from '../support/plan-home.js';
import { PlanSuite } from '../support/plan-suite.js';
import { describeWith } from '../support/terraform.js';

const bucket = (name: string, acl: string, tags = ''): string =>
  `resource "aws_s3_bucket" "${name}" {\n  bucket = "bucket-${name}"\n  acl    = "${acl}"\n${tags}}\n`;

const NAMES = ['a', 'b', 'c', 'd'];

describeWith('terraform', 'infrastate apply, several at once and interrupted', () => {
  let suite: PlanSuite;

  beforeAll(async () => {
    suite = await PlanSuite.start();
  });
  afterAll(() => suite?.stop());

  const files = (acls: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(NAMES.map((name) => [`${name}.tf`, bucket(name, acls[name] ?? 'private')]));

  async function aclsOf(home: PlanHome): Promise<Record<string, string>> {
    const { resources } = await home.document();
    return Object.fromEntries(
      resources.map((resource: { name: string; instances: { attributes: { acl: string } }[] }) => [
        resource.name,
        resource.instances[0]?.attributes.acl,
      ]),
    );
  }

  /** Two people with different changes, both planned before either is applied. */
  async function race(first: PlanHome, second: PlanHome): Promise<RunOutcome[]> {
    for (const home of [first, second]) expect((await home.run(['plan', '-out=p'])).code).toBe(2);
    return Promise.all([first.run(['apply', 'p']), second.run(['apply', 'p'])]);
  }

  it('lets two disjoint applies succeed at once, and plain terraform finds no changes', async () => {
    const first = await suite.aHome(files());
    await first.apply();
    const second = suite.anotherHome(first, files({ c: 'second' }));
    first.write(files({ a: 'first' }));
    const outcomes = await race(first, second);
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(await aclsOf(first)).toEqual({ a: 'first', b: 'private', c: 'second', d: 'private' });
    first.write(files({ a: 'first', c: 'second' }));
    expect(await first.plainPlan()).toMatchObject({ code: 0 });
    expect(await first.run(['plan'])).toMatchObject({ code: 0 });
  }, 120_000);

  it('refuses exactly one of two overlapping applies, names the other, and applies nothing of it', async () => {
    const first = await suite.aHome(files());
    await first.apply();
    const second = suite.anotherHome(first, files({ a: 'right', d: 'right' }));
    first.write(files({ a: 'left', b: 'left' }));
    const outcomes = await race(first, second);
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 75]);
    const refused = outcomes.find(({ code }) => code === 75);
    expect(refused?.stderr).toMatch(
      /TX_CONFLICT: somebody else changed the same things: transaction [0-9a-f-]{36} by .+, (committed|committing)/,
    );
    expect(refused?.stderr.match(/transaction /g)).toHaveLength(1);
    const won = outcomes[0]?.code === 0 ? 'left' : 'right';
    const expected =
      won === 'left'
        ? { a: 'left', b: 'left', c: 'private', d: 'private' }
        : { a: 'right', b: 'private', c: 'private', d: 'right' };
    expect(await aclsOf(first)).toEqual(expected);
    const made = suite.provider.objects().map(({ attributes }) => attributes['acl']);
    expect(made).not.toContain(won === 'left' ? 'right' : 'left');
    first.write(files(expected));
    expect(await first.plainPlan()).toMatchObject({ code: 0 });
  }, 120_000);

  it('stores what a failing apply reached, and the next one does the rest', async () => {
    const home = await suite.aHome({
      'main.tf':
        bucket('good', 'x') +
        bucket('bad', 'refuse-this-one') +
        'output "good" {\n  value = aws_s3_bucket.good.id\n}\n',
    });
    suite.provider.refuse('refuse-this-one');
    const failed = await home.run(['apply', '-auto-approve', '--json']);
    suite.provider.refuse();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('the cloud refuses this aws_s3_bucket');
    expect(JSON.parse(failed.stdout)).toMatchObject({ error: { id: 'APPLY_FAILED' } });
    expect(await home.addresses()).toEqual(['aws_s3_bucket.good']);
    const { results } = (
      await suite.backend.api('GET', `/tenants/${suite.backend.tenantId}/tx?limit=1`)
    ).json() as { results: { state: string }[] };
    expect(results).toMatchObject([{ state: 'failed-committed' }]);

    expect(await home.apply()).toMatchObject({
      operations: [{ address: 'aws_s3_bucket.bad', operation: 'create' }],
    });
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
    expect(await home.run(['plan', '--json'])).toMatchObject({ code: 0 });
  }, 120_000);

  it('finds what a failed apply created when its block is dropped or renamed before the next one', async () => {
    const kept = bucket('kept', 'x');
    const home = await suite.aHome({ 'main.tf': kept });
    await home.apply();
    home.write({
      'main.tf': kept + bucket('dropped', 'y') + bucket('renamed', 'z') + bucket('bad', 'refuse-me'),
    });
    suite.provider.refuse('refuse-me');
    const failed = await home.run(['apply', '-auto-approve', '--json']);
    suite.provider.refuse();
    expect(failed.code).toBe(1);
    expect(await home.addresses()).toEqual([
      'aws_s3_bucket.dropped',
      'aws_s3_bucket.kept',
      'aws_s3_bucket.renamed',
    ]);
    home.write({ 'main.tf': kept + bucket('other', 'z') });
    expect((await home.apply()).operations).toEqual([
      { address: 'aws_s3_bucket.dropped', operation: 'destroy' },
      { address: 'aws_s3_bucket.other', operation: 'create' },
      { address: 'aws_s3_bucket.renamed', operation: 'destroy' },
    ]);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
    expect(await home.run(['plan', '--json'])).toMatchObject({ code: 0 });
  }, 120_000);

  it('finds what a killed client created when its block is dropped before the next run', async () => {
    const kept = bucket('kept', 'x');
    const home = await suite.aHome({ 'main.tf': kept });
    await home.apply();
    home.write({ 'main.tf': kept + bucket('slow', 'orphaned', '  tags = { delay_ms = "3000" }\n') });
    const child = home.start(['apply', '-auto-approve']);
    const outcome = ended(child);
    await until(() => runNote(home) !== undefined);
    child.kill('SIGKILL');
    expect((await outcome).code).toBeNull();
    home.write({ 'main.tf': kept });
    expect((await home.apply()).operations).toEqual([
      { address: 'aws_s3_bucket.slow', operation: 'destroy' },
    ]);
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
  }, 120_000);

  it('loses nothing when the client is killed while terraform applies: the next run reports what was reached', async () => {
    const home = await suite.aHome({
      'main.tf': bucket('slow', 'killed', '  tags = { delay_ms = "3000" }\n'),
    });
    const child = home.start(['apply', '-auto-approve']);
    const outcome = ended(child);
    await until(() => runNote(home) !== undefined);
    child.kill('SIGKILL');
    expect((await outcome).code).toBeNull();
    expect(await home.addresses()).toEqual([]);

    const next = await home.run(['plan']);
    expect(next.stderr).toContain('was applied by a client that was killed; reporting its result');
    expect(await home.addresses()).toEqual(['aws_s3_bucket.slow']);
    expect(suite.provider.objects().filter(({ attributes }) => attributes['acl'] === 'killed')).toHaveLength(
      1,
    );
    await home.apply();
    expect(suite.provider.objects().filter(({ attributes }) => attributes['acl'] === 'killed')).toHaveLength(
      1,
    );
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
    expect(readdirSync(home.scratch)).toEqual(['terraform.rc']);
  }, 120_000);

  it('reports what it reached when it is interrupted while terraform applies', async () => {
    const home = await suite.aHome({
      'main.tf':
        bucket('first', 'interrupted', '  tags = { delay_ms = "2000" }\n') +
        bucket('second', 'never', '  depends_on = [aws_s3_bucket.first]\n'),
    });
    const child = home.start(['apply', '-auto-approve']);
    const outcome = ended(child);
    let said = '';
    child.stdout?.on('data', (part: string) => (said += part));
    await until(() => said.includes('aws_s3_bucket.first: Creating'));
    child.kill('SIGINT');
    const { code, stderr } = await outcome;
    expect([code, stderr]).toEqual([1, expect.stringContaining('INTERRUPTED')]);
    expect(await home.addresses()).toEqual(['aws_s3_bucket.first']);
    expect(readdirSync(home.scratch)).toEqual(['terraform.rc']);
    await home.apply();
    expect(await home.plainPlan()).toMatchObject({ code: 0 });
  }, 120_000);

  it('aborts its transaction when it is interrupted while it asks, and keeps nothing', async () => {
    const home = await suite.aHome(files());
    const child = home.start(['apply']);
    let said = '';
    child.stderr?.on('data', (part: Buffer) => (said += part.toString()));
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    await until(() => said.includes('Only "yes"'));
    child.kill('SIGINT');
    expect(await closed).toBe(1);
    expect(await home.addresses()).toEqual([]);
    expect(readdirSync(home.scratch)).toEqual(['terraform.rc']);
    const { results } = (
      await suite.backend.api('GET', `/tenants/${suite.backend.tenantId}/tx?limit=1`)
    ).json() as { results: { state: string }[] };
    expect(results).toMatchObject([{ state: 'aborted' }]);
  });

  it('keeps the state in a file when nobody takes it any more', async () => {
    const home = await suite.aHome({ 'main.tf': bucket('kept', 'kept', '  tags = { delay_ms = "2000" }\n') });
    const child = home.start(['apply', '-auto-approve']);
    const outcome = ended(child);
    await until(() => runNote(home) !== undefined);
    const { tx } = JSON.parse(runNote(home) ?? '{}') as { tx: string };
    expect((await suite.backend.api('POST', `/tx/${tx}/abort`)).status).toBe(200);
    const { code, stderr } = await outcome;
    expect([code, stderr]).toEqual([75, expect.stringContaining('THE STATE COULD NOT BE STORED')]);
    const kept = JSON.parse(readFileSync(join(home.directory, 'errored.infrastate.json'), 'utf8')) as {
      resources: { name: string }[];
    };
    expect(kept.resources).toMatchObject([{ name: 'kept' }]);
  });
});

/** Written when terraform begins to apply. */
function runNote(home: PlanHome): string | undefined {
  const [directory] = readdirSync(home.scratch).filter((name) => name.startsWith('infrastate-'));
  const file = join(home.scratch, directory ?? 'none', 'run.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.endsWith('}') ? text : undefined;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20);
}
