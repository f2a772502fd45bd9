import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { call, must } from '../support/identity.js';

type Row = Record<string, unknown>;

const succeeded = { code: 0, output: expect.stringContaining('') as string };
const failed = { code: 1, output: expect.stringContaining('') as string };

function resources(values: Record<string, string>, head = ''): string {
  const blocks = Object.entries(values).map(
    ([name, value]) => `resource "terraform_data" "${name}" { input = ${JSON.stringify(value)} }`,
  );
  return `${head}${blocks.join('\n')}\n`;
}

/** Directory `a` uses a state of the service. */
function configuration(group: string, more = ''): string {
  return `dirs:\n  a:\n    state: {group_id: ${group}}\n${more}`;
}

describe('Runs whose states live here', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-states-'));
    service = await HostedService.start(home, { env: { SERVICE_COST_ENABLED: 'true' } });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(files: Record<string, string>): Promise<HostedRepository> {
    const repository = await service.repository(files);
    repository.setRole('author', 'write');
    return repository;
  }

  /** The document of a group's default workspace, as the backend answers it. */
  async function documentOf(group: string): Promise<{ resources?: Row[] }> {
    return must(service.api, 'GET', `/states/backend/${group}`, { as: service.admin.token });
  }

  async function transactionsOf(group: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(
      `SELECT t.state, t.kind, t.tags, u.type AS by_type FROM transactions t JOIN users u ON u.id = t.created_by
         JOIN transaction_states ts ON ts.tx_id = t.id JOIN states s ON s.id = ts.state_id
        WHERE s.group_id = $1 ORDER BY t.created_at`,
      [group],
    );
    return rows;
  }

  const commentWith = (repository: HostedRepository, text: string) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments().findLast((each) => each.includes(text)),
    );

  it('plans what changed and applies exactly that, in one transaction, without a secret', async () => {
    const group = randomUUID();
    const repository = await aRepository({
      'a/main.tf': resources({}),
      '.infrastate/config.yml': configuration(group),
    });
    const number = await repository.open('topic', {
      'a/main.tf': resources({ one: 'first', two: 'second' }),
    });
    const planned = await service.ciJob(repository, 0);
    expect(planned).toEqual(succeeded);
    const comment = await commentWith(repository, 'Plan succeeded');
    expect(comment).toContain('`+2 ~0 -0`');
    expect(comment).toContain('terraform_data.one');
    expect(comment).toContain('**Findings**\n- `a` (`default`): none added, none resolved');
    expect(comment).toContain('**Monthly cost**\n- `a` (`default`): 0.00 → 0.00 USD (+0.00)');
    expect((await documentOf(group)).resources).toEqual([]);

    await repository.comment(number, 'infrastate apply');
    const applied = await service.ciJob(repository, 1);
    expect(applied).toEqual(succeeded);
    await commentWith(repository, 'Apply succeeded');
    expect((await documentOf(group)).resources).toHaveLength(2);
    const tags = {
      provider: 'github',
      repo: `acme/${repository.name}`,
      pull_number: number,
      dir: 'a',
      workspace: 'default',
      work_manifest_id: expect.any(String) as string,
      sha: repository.sha('topic'),
    };
    expect(await transactionsOf(group)).toEqual([
      { state: 'committed', kind: 'plan', tags, by_type: 'system' },
    ]);

    await repository.merge(number);
    const next = await repository.open('next', {
      'a/main.tf': resources({ one: 'changed', two: 'second' }),
    });
    expect(await service.ciJob(repository, 2)).toEqual(succeeded);
    expect(await commentWith(repository, '`+0 ~1 -0`')).not.toContain('terraform_data.two');
    // Nobody will apply it any more.
    await repository.close(next);
    expect((await transactionsOf(group)).map(({ state }) => state)).toEqual(['committed', 'aborted']);
  });

  it('plans anew into a new transaction, and ends the one before', async () => {
    const group = randomUUID();
    const repository = await aRepository({
      'a/main.tf': resources({}),
      '.infrastate/config.yml': configuration(group),
    });
    const number = await repository.open('topic', { 'a/main.tf': resources({ one: 'a' }) });
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate plan');
    expect((await transactionsOf(group)).map(({ state }) => state)).toEqual(['aborted']);
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    await service.eventually('the second plan', () => repository.comments().length === 2);
    repository.commit('topic', { 'a/main.tf': resources({ one: 'b' }) });
    await repository.announce(number, 'updated');
    expect((await transactionsOf(group)).map(({ state }) => state)).toEqual(['aborted', 'aborted']);
  });

  it('is refused where somebody was first, says who, and plans again at once', async () => {
    const group = randomUUID();
    const repository = await aRepository({
      'a/main.tf': resources({ one: 'old' }),
      '.infrastate/config.yml': configuration(group, '    lock_policy: none\n'),
    });
    for (const [n, branch] of ['mine', 'theirs'].entries()) {
      await repository.open(branch, { 'a/main.tf': resources({ one: branch }) });
      expect(await service.ciJob(repository, n)).toEqual(succeeded);
      await service.eventually('the plan', () => repository.comments(n + 1).length === 1);
    }
    await repository.comment(2, 'infrastate apply');
    expect(await service.ciJob(repository, 2)).toEqual(succeeded);
    await service.eventually('the apply', () =>
      repository.comments(2).some((text) => text.includes('Apply succeeded')),
    );
    // Held back by the newer apply until it is planned again: an apply of the old plan is forced by the runner's own word.
    await service.pool.query(
      `UPDATE work_manifest_dirspaces SET ended_at = created_at - interval '1 day'
        WHERE run_type = 'apply' AND repository_id = $1`,
      [await service.repositoryId(repository)],
    );
    await repository.comment(1, 'infrastate apply');
    expect(await service.ciJob(repository, 3)).toEqual(failed);
    const comment = await commentWith(repository, 'TX_CONFLICT');
    expect(comment).toContain(`acme/${repository.name}#2`);
    expect(comment).toContain('acme');
    // The next plan needs no comment.
    expect(await service.ciJob(repository, 4)).toEqual(succeeded);
    await service.eventually('the next plan', () =>
      repository.comments(1).at(-1)?.includes('Plan succeeded'),
    );
  });

  it('writes everything of one apply into one session with mode full', async () => {
    const group = randomUUID();
    const head = 'terraform {\n  backend "http" {}\n}\n';
    const repository = await aRepository({
      'a/main.tf': head,
      '.infrastate/config.yml': configuration(group, '    mode: full\n'),
    });
    const number = await repository.open('topic', { 'a/main.tf': resources({ one: 'x' }, head) });
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    await commentWith(repository, '`+1 ~0 -0`');
    await repository.comment(number, 'infrastate apply');
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    await commentWith(repository, 'Apply succeeded');
    expect((await documentOf(group)).resources).toHaveLength(1);
    expect(await transactionsOf(group)).toEqual([
      {
        state: 'committed',
        kind: 'session',
        by_type: 'system',
        tags: expect.objectContaining({
          dir: 'a',
          pull_number: number,
          repo: `acme/${repository.name}`,
        }) as object,
      },
    ]);
  });

  it('fails a directory whose state would be lost with the checkout', async () => {
    const repository = await aRepository({
      'a/main.tf': '',
      '.infrastate/config.yml': configuration(randomUUID(), '    mode: full\n'),
    });
    await repository.open('topic', { 'a/main.tf': resources({ one: 'x' }) });
    expect(await service.ciJob(repository, 0)).toEqual(failed);
    expect(await commentWith(repository, 'Plan failed')).toContain('backend "http"');
  });

  it('reaches no state that the base branch does not name and that its own runs did not create', async () => {
    const owned = randomUUID();
    await must(service.api, 'POST', `/tenants/${service.admin.tenantId}/states`, {
      as: service.admin.token,
      body: { name: 'somebody', group_id: owned },
    });
    const repository = await aRepository({ 'a/main.tf': '' });
    const number = await repository.open('topic', {
      'a/main.tf': resources({ one: 'x' }),
      '.infrastate/config.yml': configuration(owned),
    });
    expect(await service.ciJob(repository, 0)).toEqual(failed);
    expect(await commentWith(repository, 'Plan failed')).toContain('may not use the state group');
    expect(await transactionsOf(owned)).toEqual([]);
    // Once it stands on the base branch it may.
    repository.commit('main', { '.infrastate/config.yml': configuration(owned) });
    await repository.comment(number, 'infrastate plan');
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
  });

  it('has a token that opens its own states and transactions and nothing else', async () => {
    const [group, other] = [randomUUID(), randomUUID()];
    const { id: foreign } = await must<{ id: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/states`,
      { as: service.admin.token, body: { name: 'other', group_id: other } },
    );
    const { id: foreignTx } = await must<{ id: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/tx/create`,
      { as: service.admin.token, body: { state_schema_version: await schemaVersion(), tags: {} } },
    );
    const repository = await aRepository({
      'a/main.tf': '',
      '.infrastate/config.yml': configuration(group),
    });
    await repository.open('topic', { 'a/main.tf': resources({ one: 'x' }) });
    const { inputs } = await service.dispatch(repository, 0);
    const begun = await must<{ token: string }>(service.api, 'POST', '/runner/initiate', {
      as: inputs['work_token'] ?? '',
      body: { run_id: '1', nonce: 'n', runner: { version: '0.1.0', protocol: 1 } },
    });
    const as = begun.token;
    const { dirspaces } = await must<{ dirspaces: { state: { state_id: string } }[] }>(
      service.api,
      'GET',
      '/runner/work',
      { as },
    );
    const own = dirspaces[0]?.state.state_id ?? '';
    const status = async (method: string, path: string, body?: unknown) =>
      (await call(service.api, method, path, { as, ...(body === undefined ? {} : { body }) })).status;
    expect(await status('GET', `/states/${own}`)).toBe(200);
    expect(await status('GET', `/states/backend/${group}`)).toBe(200);
    // A plan writes nothing.
    expect(await status('POST', `/states/backend/${group}`, { version: 4 })).toBe(403);
    expect(await status('GET', `/states/${foreign}`)).toBe(404);
    expect(await status('GET', `/states/backend/${other}`)).toBe(403);
    expect(await status('POST', `/states/backend/${randomUUID()}`, { version: 4 })).toBe(403);
    for (const [method, path] of [
      ['GET', `/tx/${foreignTx}`],
      ['POST', `/tx/${foreignTx}/preview`],
      ['POST', `/tx/${foreignTx}/abort`],
      ['POST', `/tx/${foreignTx}/commit`],
    ] as const)
      expect(await status(method, path)).toBe(404);
    const made = await must<{ id: string; tags: Row }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/tx/create`,
      { as, body: { state_schema_version: await schemaVersion(), tags: { repo: 'forged', dir: 'a' } } },
    );
    expect(made.tags).toMatchObject({ repo: `acme/${repository.name}`, dir: 'a', pull_number: 1 });
    expect(await status('GET', `/tx/${made.id}`)).toBe(200);
    expect(await status('POST', `/tx/${made.id}/commit`)).toBe(403);
    // Every other route is closed to it.
    const { body: document } = await call<{ paths: Record<string, Record<string, unknown>> }>(
      service.api,
      'GET',
      '/openapi',
      { as: service.admin.token },
    );
    const open: string[] = [];
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations)) {
        if ((operation as { 'x-public'?: boolean })['x-public'] === true || !path.startsWith('/api/v1'))
          continue;
        const address = path
          .slice('/api/v1'.length)
          .replace(/\{[^}]*(?:state|State)[^}]*\}/g, foreign)
          .replace(/\{[^}]+\}/g, foreignTx);
        const reply = await call(service.api, method.toUpperCase(), address, {
          as,
          ...(method === 'get' ? {} : { body: {} }),
        });
        if (reply.status < 300) open.push(`${method} ${path}`);
      }
    expect(open.sort()).toEqual([
      'get /api/v1/runner/work',
      'get /api/v1/version',
      'post /api/v1/runner/heartbeat',
      'post /api/v1/tx/session/create',
    ]);
    await must(service.api, 'POST', '/runner/results', { as, body: { success: false, dirspaces: [] } });
    expect(await status('GET', `/states/${own}`)).toBe(404);
    expect(await status('GET', `/states/backend/${group}`)).toBe(403);
  });

  async function schemaVersion(): Promise<number> {
    const { state_schema_version: version } = await must<{ state_schema_version: number }>(
      service.api,
      'GET',
      '/version',
      { as: service.admin.token },
    );
    return version;
  }
});
