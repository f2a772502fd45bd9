import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HostedService, type HostedRepository } from '../support/code-host/index.js';
import { call } from '../support/identity.js';

const CLIENT = join(__dirname, '..', '..', 'cli', 'bin', 'infrastate.js');

/** A configuration whose state lies outside of the checkout, as with any real backend. */
function terraform(state: string, input: string): string {
  return `terraform {
  backend "local" { path = ${JSON.stringify(state)} }
}
resource "terraform_data" "it" { input = ${JSON.stringify(input)} }
output "value" { value = terraform_data.it.output }
`;
}

/** The output stands in the difference when it fails. */
const succeeded = { code: 0, output: expect.stringContaining('') as string };

describe('From a pull request to a plan to an apply', () => {
  let service: HostedService;
  let states: string;

  beforeAll(async () => {
    states = mkdtempSync(join(tmpdir(), 'states-'));
    service = await HostedService.start();
  });
  afterAll(async () => {
    await service.stop();
    rmSync(states, { recursive: true, force: true });
  });

  async function eventually<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
    const end = Date.now() + 60_000;
    for (;;) {
      const value = await read();
      if (value !== undefined && value !== false) return value;
      if (Date.now() > end)
        throw new Error(`${what} did not happen\n${service.output().split('\n').slice(-20).join('\n')}`);
      await delay(50);
    }
  }

  const dispatchesOf = async (repository: HostedRepository) =>
    (await service.state()).dispatches.filter((each) => each.repository === repository.row.name);
  const commentsOf = async (repository: HostedRepository) =>
    (await service.state()).comments
      .filter((each) => each.repository === repository.row.name)
      .map(({ text }) => text);

  /** Starts the real client as a CI job does, with the inputs of the nth dispatch. */
  async function ciJob(
    repository: HostedRepository,
    n: number,
    env: Record<string, string> = {},
  ): Promise<{ code: number; output: string }> {
    const { inputs } = await eventually(`dispatch ${n}`, async () => (await dispatchesOf(repository))[n]);
    return client(['run'], {
      INFRASTATE_WORK_TOKEN: inputs['work_token'] ?? '',
      INFRASTATE_API_BASE: inputs['api_base_url'] ?? '',
      ...env,
    });
  }

  function client(args: string[], env: Record<string, string>): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [CLIENT, ...args], {
        env: { PATH: process.env['PATH'] ?? '', HOME: states, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.once('close', (code) => {
        if (code !== 0) process.stderr.write(output);
        resolve({ code: code ?? -1, output });
      });
    });
  }

  it('plans a pull request, says so in it, applies on a comment, and merges', async () => {
    const state = join(states, 'main.tfstate');
    const repository = await service.repository({
      'a/main.tf': terraform(state, 'old'),
      'readme.md': 'hello',
      '.infrastate/config.yml': 'automerge: {enabled: true}\n',
    });
    const sha = repository.commit('topic', { 'a/main.tf': terraform(state, 'new') });
    await service.set({ roles: { author: 'write' } });
    await repository.pullRequest(1, 'opened', { branch: 'topic' }, 'one delivery');
    await repository.pullRequest(1, 'opened', { branch: 'topic' }, 'one delivery');
    await repository.pullRequest(1, 'updated', { branch: 'topic' });

    const planned = await ciJob(repository, 0);
    expect(planned).toEqual(succeeded);
    const [comment = ''] = await eventually('the comment', async () => {
      const found = await commentsOf(repository);
      return found.length > 0 && found;
    });
    expect(comment).toContain('`+1 ~0 -0`');
    expect(comment).toContain('terraform_data.it');
    const statusOf = async (context: string) => (await service.state()).statuses[sha]?.[context]?.state;
    await eventually('the status', async () => (await statusOf('infrastate plan')) === 'success');
    expect(await statusOf('infrastate apply')).toBe('pending');
    expect(await statusOf('infrastate plan: a default')).toBe('success');
    expect(await dispatchesOf(repository)).toHaveLength(1);

    await repository.comment(1, 'infrastate apply', 'author', 'apply-1');
    await repository.comment(1, 'infrastate apply', 'author', 'apply-1');
    const applied = await ciJob(repository, 1);
    expect(applied).toEqual(succeeded);
    await eventually('the apply', async () => (await statusOf('infrastate apply')) === 'success');
    expect(readFileSync(state, 'utf8')).toContain('"new"');
    expect(await dispatchesOf(repository)).toHaveLength(2);
    await eventually('the merge', async () =>
      (await service.state()).merged.some((merge) => merge.sha === sha),
    );
    expect((await commentsOf(repository)).filter((text) => text.includes('Apply succeeded'))).toHaveLength(1);
    const holds = await service.pool.query(
      'SELECT pull_number FROM dirspace_holds WHERE repository_id = $1',
      [repository.row.repository],
    );
    expect(holds.rows).toEqual([{ pull_number: 1 }]);
    await repository.pullRequest(1, 'closed', { branch: 'topic', state: 'merged' });
    const left = await service.pool.query('SELECT 1 FROM dirspace_holds WHERE repository_id = $1', [
      repository.row.repository,
    ]);
    expect(left.rows).toEqual([]);
    const parts = await service.pool.query(
      'SELECT 1 FROM plan_file_parts p JOIN work_manifests m ON m.id = p.work_manifest_id WHERE m.repository_id = $1',
      [repository.row.repository],
    );
    expect(parts.rows).toEqual([]);
  });

  it('lets a work token open one route, once, for one runner', async () => {
    const state = join(states, 'token.tfstate');
    const repository = await service.repository({ 'a/main.tf': terraform(state, 'old') });
    repository.commit('topic', { 'a/main.tf': terraform(state, 'new') });
    await repository.pullRequest(1, 'opened', { branch: 'topic' });
    const { inputs } = await eventually('the dispatch', async () => (await dispatchesOf(repository))[0]);
    const token = inputs['work_token'] ?? '';
    const initiate = (nonce: string, as = token) =>
      call(service.api, 'POST', '/runner/initiate', {
        as,
        body: { run_id: '1', nonce, runner: { version: '0.1.0', protocol: 1 } },
      });
    expect((await initiate('a', `${token}x`)).status).toBe(401);
    for (const path of ['/runner/work', '/whoami', '/user/tenants'])
      expect((await call(service.api, 'GET', path, { as: token })).status).toBe(401);
    const begun = await initiate('a');
    expect(begun.status).toBe(200);
    expect((await initiate('a')).status).toBe(200);
    expect(await initiate('b')).toMatchObject({ status: 409, body: { id: 'RUN_ALREADY_STARTED' } });
    const runToken = String(begun.body['token']);
    for (const path of [
      '/whoami',
      '/user/tenants',
      '/mql/schema',
      `/tenants/${service.admin.tenantId}/members`,
    ])
      expect((await call(service.api, 'GET', path, { as: runToken })).status).toBe(401);
    expect((await call(service.api, 'GET', '/runner/work', { as: runToken })).status).toBe(200);
    const results = {
      success: true,
      dirspaces: [{ dir: 'a', workspace: 'default', success: true, has_changes: false }],
    };
    for (let n = 0; n < 2; n++)
      expect(
        (await call(service.api, 'POST', '/runner/results', { as: runToken, body: results })).body,
      ).toEqual({ state: 'completed' });
    expect(await initiate('a')).toMatchObject({ status: 409, body: { id: 'RUN_ENDED' } });
    expect((await call(service.api, 'POST', '/runner/heartbeat', { as: runToken })).status).toBe(409);
  });

  it('keeps a second pull request out of a directory that the first one holds', async () => {
    const state = join(states, 'held.tfstate');
    const repository = await service.repository({ 'a/main.tf': terraform(state, 'old') });
    await service.set({ roles: { author: 'write' } });
    for (const [number, branch] of [
      [1, 'one'],
      [2, 'two'],
    ] as const) {
      repository.commit(branch, { 'a/main.tf': terraform(state, branch) });
      await repository.pullRequest(number, 'opened', { branch });
      expect((await ciJob(repository, number - 1)).code).toBe(0);
    }
    await eventually('both plans', async () => (await commentsOf(repository)).length === 2);
    await repository.comment(1, 'infrastate apply');
    await repository.comment(2, 'infrastate apply');
    expect((await commentsOf(repository)).at(-1)).toContain('held by #1');
    expect(await ciJob(repository, 2)).toEqual(succeeded);
    await eventually('the apply', async () =>
      (await commentsOf(repository)).some((text) => text.includes('Apply succeeded')),
    );
    await repository.pullRequest(1, 'closed', { branch: 'one', state: 'merged' });
    await repository.comment(2, 'infrastate apply');
    expect((await commentsOf(repository)).at(-1)).toContain('another pull request has applied');
    expect(await dispatchesOf(repository)).toHaveLength(3);
  });

  it('runs on a machine of a pool, once, with hooks whose secrets show nowhere', async () => {
    const state = join(states, 'pool.tfstate');
    const { body: pool } = await call<{ token: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/runner-pools`,
      {
        as: service.admin.token,
        body: { name: 'ours' },
      },
    );
    const config = `run: {on: pool, pool: ours}
hooks:
  plan:
    pre:
      - {type: env, name: SECRET_VALUE, cmd: [echo, hush-hush-secret], sensitive: true}
      - {type: run, cmd: [sh, -c, 'echo "it is $SECRET_VALUE"; printf %s "$SECRET_VALUE" | base64'], visible_on: always}
    post:
      - {type: gates, cmd: [echo, '{"gates": [{"token": "ok", "any_of": ["team:bosses"]}]}']}
`;
    const repository = await service.repository({
      'a/main.tf': terraform(state, 'old'),
      '.infrastate/config.yml': config,
    });
    repository.commit('topic', { 'a/main.tf': terraform(state, 'new') });
    await service.set({ roles: { author: 'write' } });
    await repository.pullRequest(1, 'opened', { branch: 'topic' });
    const env = { INFRASTATE_POOL_TOKEN: pool.token, INFRASTATE_API_BASE: service.api.url };
    const ran = await client(['runner', '--once'], env);
    expect(ran.code).toBe(0);
    expect(await dispatchesOf(repository)).toEqual([]);
    const [comment = ''] = await eventually('the comment', async () => {
      const found = await commentsOf(repository);
      return found.length > 0 && found;
    });
    expect(comment).toContain('it is ***');
    expect(comment).toContain('infrastate gate approve ok');
    const stored = await service.pool.query<{ text: string }>(
      `SELECT string_agg(payload::text, '') || coalesce((SELECT string_agg(text, '') FROM run_log_chunks), '') AS text FROM work_manifest_payloads`,
    );
    const everything = ran.output + comment + (stored.rows[0]?.text ?? '') + service.output();
    for (const form of [
      'hush-hush-secret',
      Buffer.from('hush-hush-secret').toString('base64').slice(0, 20),
      'clone-password',
    ])
      expect(everything).not.toContain(form);

    await repository.comment(1, 'infrastate apply');
    expect((await commentsOf(repository)).at(-1)).toContain('the gate `ok` needs 1 of team:bosses');
    await repository.comment(1, 'infrastate gate approve ok', 'author');
    expect((await commentsOf(repository)).at(-1)).toContain('is not one of those');
    await repository.comment(1, 'infrastate gate approve ok', 'member-of-bosses');
    await repository.comment(1, 'infrastate apply');
    expect(await client(['runner', '--once'], env)).toEqual(succeeded);
    await eventually(
      'the apply',
      async () => existsSync(state) && readFileSync(state, 'utf8').includes('"new"'),
    );
  });

  it('says what is wrong with a configuration, once, and runs nothing', async () => {
    const repository = await service.repository({ 'a/main.tf': '' });
    const sha = repository.commit('topic', { 'a/main.tf': '#', '.infrastate/config.yml': 'enabeld: true\n' });
    for (let n = 0; n < 2; n++) await repository.pullRequest(1, 'opened', { branch: 'topic' });
    const comments = await commentsOf(repository);
    expect(comments).toHaveLength(1);
    expect(comments[0]).toContain('.infrastate/config.yml:1: enabeld: unknown key; did you mean enabled?');
    expect((await service.state()).statuses[sha]?.['infrastate plan']?.state).toBe('failure');
    expect(await dispatchesOf(repository)).toEqual([]);
  });

  it('runs nothing of a fork, and nothing that the head gives itself', async () => {
    const repository = await service.repository({ 'a/main.tf': '' });
    repository.commit('topic', {
      'a/main.tf': '#',
      '.infrastate/config.yml':
        "run: {on: pool, pool: mine, workflow: evil.yml}\naccess_control: {apply: ['*'], apply_force: ['*']}\n",
    });
    await service.set({ roles: {} });
    await repository.pullRequest(1, 'opened', { branch: 'topic', isFork: true });
    await repository.comment(1, 'infrastate plan', 'stranger');
    expect(await dispatchesOf(repository)).toEqual([]);
    await repository.pullRequest(2, 'opened', { branch: 'topic' });
    const dispatch = await eventually('the dispatch', async () => (await dispatchesOf(repository))[0]);
    expect(dispatch.workflow).toBe('infrastate.yml');
    await repository.comment(2, 'infrastate apply-force', 'stranger');
    expect((await commentsOf(repository)).at(-1)).toContain('@stranger may not do this');
    await repository.comment(2, '> infrastate apply', 'stranger');
    await repository.comment(2, '    infrastate apply', 'stranger');
    expect(await dispatchesOf(repository)).toHaveLength(1);
  });

  it('ends a run that the provider refuses to start, and one whose CI job failed', async () => {
    const repository = await service.repository({ 'a/main.tf': '' });
    repository.commit('topic', { 'a/main.tf': '#' });
    await service.set({ dispatchResult: { result: 'missing', reason: 'no such file' } });
    await repository.pullRequest(1, 'opened', { branch: 'topic' });
    await eventually('the comment', async () =>
      (await commentsOf(repository)).some((text) => text.includes('WORKFLOW_NOT_FOUND')),
    );
    await service.set({
      dispatchResult: { result: 'dispatched', runId: 'ci-77', webUrl: null },
      roles: { author: 'write' },
    });
    await repository.comment(1, 'infrastate plan');
    await eventually('the run', async () => {
      const { rows } = await service.pool.query(
        `SELECT 1 FROM work_manifests WHERE run_id = 'ci-77' AND dispatch_state = 'sent'`,
      );
      return rows.length > 0;
    });
    await repository.emit('ci-job-failed', undefined, { runId: 'ci-77' });
    await eventually('the comment', async () =>
      (await commentsOf(repository)).some((text) => text.includes('JOB_FAILED')),
    );
    await service.set({ dispatchResult: undefined });
  });
});
