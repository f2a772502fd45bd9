import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { cases } from '../support/endurance.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { call, must } from '../support/identity.js';

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
    service = await HostedService.start(states);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(states, { recursive: true, force: true });
  });

  const firstComment = (repository: HostedRepository): Promise<string> =>
    service.eventually('the comment', () => repository.comments()[0]);

  describe.each(['github', 'gitlab'] as const)('at %s', (provider) => {
    it('plans, says so, applies on a comment, and merges', async () => {
      const state = join(states, `${provider}.tfstate`);
      const repository = await service.repository(
        {
          'a/main.tf': terraform(state, 'old'),
          'readme.md': 'hello',
          '.infrastate/config.yml': 'automerge: {enabled: true}\n',
        },
        { provider },
      );
      repository.setRole('author', 'write');
      const files = { 'a/main.tf': terraform(state, 'new') };
      const number = await repository.open('topic', files, { deliveryId: `one-delivery-of-${provider}` });
      await repository.announce(number, 'opened', { deliveryId: `one-delivery-of-${provider}` });
      await repository.announce(number, 'updated');
      const sha = repository.sha('topic');

      expect(await service.ciJob(repository, 0)).toEqual(succeeded);
      const comment = await firstComment(repository);
      expect(comment).toContain('`+1 ~0 -0`');
      expect(comment).toContain('terraform_data.it');
      const statusOf = (context: string) => repository.statuses(sha)[context]?.state;
      await service.eventually('the status', () => statusOf('infrastate plan') === 'success');
      expect(statusOf('infrastate apply')).toBe('pending');
      await service.eventually('the status', () => statusOf('infrastate plan: a default') === 'success');
      expect(repository.dispatches()).toHaveLength(1);

      await repository.comment(number, 'infrastate apply', { id: 900_001 });
      await repository.comment(number, 'infrastate apply', { id: 900_001 });
      expect(await service.ciJob(repository, 1)).toEqual(succeeded);
      await service.eventually('the apply', () => statusOf('infrastate apply') === 'success');
      expect(readFileSync(state, 'utf8')).toContain('"new"');
      expect(repository.dispatches()).toHaveLength(2);
      await service.eventually('the merge', () => repository.isMerged(number));
      expect(repository.comments().filter((text) => text.includes('Apply succeeded'))).toHaveLength(1);
      const id = await service.repositoryId(repository);
      const count = async (sql: string) => (await service.pool.query(sql, [id])).rowCount;
      expect(await count('SELECT 1 FROM dirspace_holds WHERE repository_id = $1')).toBe(1);
      await repository.merge(number);
      expect(await count('SELECT 1 FROM dirspace_holds WHERE repository_id = $1')).toBe(0);
      expect(
        await count(
          'SELECT 1 FROM plan_file_parts p JOIN work_manifests m ON m.id = p.work_manifest_id WHERE m.repository_id = $1',
        ),
      ).toBe(0);
    });
  });

  it('lets a work token open one route, once, for one runner', async () => {
    const state = join(states, 'token.tfstate');
    const repository = await service.repository({ 'a/main.tf': terraform(state, 'old') });
    await repository.open('topic', { 'a/main.tf': terraform(state, 'new') });
    const { inputs } = await service.dispatch(repository, 0);
    const token = inputs['work_token'] ?? '';
    const initiate = (nonce: string, { as = token, protocol = 1 } = {}) =>
      call(service.api, 'POST', '/runner/initiate', {
        as,
        body: { run_id: '1', nonce, runner: { version: '0.1.0', protocol } },
      });
    expect((await initiate('a', { as: `${token}x` })).status).toBe(401);
    // It does not use the token up: the run begins below, for another nonce.
    expect(await initiate('old', { protocol: 0 })).toMatchObject({
      status: 400,
      body: { id: 'RUNNER_TOO_OLD', data: expect.stringContaining('install the client') as string },
    });
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

  const providers = cases<'github' | 'gitlab'>(['gitlab'], ['github']);
  it.each(providers)(
    'keeps a second pull request out of a directory that the first one holds at %s',
    async (provider) => {
      const state = join(states, `held-${provider}.tfstate`);
      const repository = await service.repository({ 'a/main.tf': terraform(state, 'old') }, { provider });
      repository.setRole('author', 'write');
      for (const [n, branch] of ['one', 'two'].entries()) {
        await repository.open(branch, { 'a/main.tf': terraform(state, branch) });
        expect(await service.ciJob(repository, n)).toEqual(succeeded);
      }
      await service.eventually('both plans', () => repository.comments().length === 2);
      await repository.comment(1, 'infrastate apply');
      await repository.comment(2, 'infrastate apply');
      expect(repository.comments().at(-1)).toContain('held by #1');
      expect(await service.ciJob(repository, 2)).toEqual(succeeded);
      await service.eventually('the apply', () =>
        repository.comments(1).some((text) => text.includes('Apply succeeded')),
      );
      // Closed without a merge: nothing is held any more, and the second change still merges.
      await repository.close(1);
      await repository.comment(2, 'infrastate apply');
      expect(repository.comments().at(-1)).toContain('another pull request has applied there');
      expect(repository.dispatches()).toHaveLength(3);
    },
  );

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
    repository.setRole('author', 'write');
    service.hosting.github.teams.set('bosses', ['boss']);
    await repository.open('topic', { 'a/main.tf': terraform(state, 'new') });
    const env = { INFRASTATE_POOL_TOKEN: pool.token, INFRASTATE_API_BASE: service.api.url };
    const ran = await service.client(['runner', '--once'], env);
    expect(ran.code).toBe(0);
    expect(repository.dispatches()).toEqual([]);
    const comment = await firstComment(repository);
    expect(comment).toContain('it is ***');
    expect(comment).toContain('infrastate gate approve ok');
    const stored = await service.pool.query<{ text: string }>(
      `SELECT string_agg(payload::text, '') || coalesce((SELECT string_agg(text, '') FROM run_log_chunks), '') AS text FROM work_manifest_payloads`,
    );
    const everything = ran.output + comment + (stored.rows[0]?.text ?? '') + service.output();
    const tokens = service.hosting.github.tokens.map(({ token }) => token);
    expect(tokens.length).toBeGreaterThan(0);
    for (const form of [
      'hush-hush-secret',
      Buffer.from('hush-hush-secret').toString('base64').slice(0, 20),
      ...tokens,
    ])
      expect(everything).not.toContain(form);

    await repository.comment(1, 'infrastate apply');
    expect(repository.comments().at(-1)).toContain('the gate `ok` needs 1 of team:bosses');
    await repository.comment(1, 'infrastate gate approve ok');
    expect(repository.comments().at(-1)).toContain('is not one of those');
    await repository.comment(1, 'infrastate gate approve ok', { username: 'boss' });
    await repository.comment(1, 'infrastate apply');
    expect(await service.client(['runner', '--once'], env)).toEqual(succeeded);
    expect(existsSync(state) && readFileSync(state, 'utf8')).toContain('"new"');
  });

  it('runs several at a time on one machine, until a signal, which lets them end, and a second one, which does not', async () => {
    const { token } = await must<{ token: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/runner-pools`,
      { as: service.admin.token, body: { name: 'loop' } },
    );
    const place = mkdtempSync(join(states, 'loop-'));
    // Stands for Terraform: a plan waits until the file is there that sets its directory free.
    const command = join(place, 'engine');
    writeFileSync(
      command,
      `#!/bin/sh
[ "$1" = plan ] || exit 0
touch "${place}/began-$INFRASTATE_DIR"
while [ ! -e "${place}/free-$INFRASTATE_DIR" ]; do sleep 0.1; done
echo 'No changes.'
`,
      { mode: 0o755 },
    );
    const repository = await service.repository({
      'a/main.tf': '',
      'b/main.tf': '',
      'c/main.tf': '',
      '.infrastate/config.yml': `run: {on: pool, pool: loop}\nengine: {name: terraform, command: ${JSON.stringify(command)}}\n`,
    });
    repository.setRole('author', 'write');
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: place,
      INFRASTATE_POOL_TOKEN: token,
      INFRASTATE_API_BASE: service.api.url,
    };
    const started: ChildProcess[] = [];
    const start = (...args: string[]) => {
      const child = spawn(process.execPath, [CLIENT, 'runner', ...args], { env, stdio: 'ignore' });
      started.push(child);
      return { child, ended: new Promise<number | null>((resolve) => child.once('close', resolve)) };
    };
    const began = (dir: string) => existsSync(join(place, `began-${dir}`));
    const stateOf = async (number: number): Promise<string | undefined> => {
      const { rows } = await service.pool.query<{ state: string }>(
        'SELECT state FROM work_manifests WHERE repository_id = $1 AND pull_number = $2',
        [await service.repositoryId(repository), number],
      );
      return rows[0]?.state;
    };
    try {
      const first = start('--parallel', '2');
      await repository.open('one', { 'a/main.tf': '#' });
      await repository.open('two', { 'b/main.tf': '#' });
      await service.eventually('both at a time', () => began('a') && began('b'));
      const third = await repository.open('three', { 'c/main.tf': '#' });
      first.child.kill('SIGTERM');
      for (const dir of ['a', 'b']) writeFileSync(join(place, `free-${dir}`), '');
      expect(await first.ended).toBe(0);
      expect([await stateOf(1), await stateOf(2)]).toEqual(['completed', 'completed']);
      expect([began('c'), await stateOf(third)]).toEqual([false, 'queued']);

      // Without --once or --parallel: one at a time, until it is told to stop.
      const second = start();
      await service.eventually('the third', () => began('c'));
      second.child.kill('SIGTERM');
      second.child.kill('SIGINT');
      expect(await second.ended).toBe(1);
      await service.eventually('the failure', () =>
        repository.comments(third).some((text) => text.includes('Plan failed')),
      );
    } finally {
      for (const child of started) child.kill('SIGKILL');
    }
  }, 240_000);

  it('says what is wrong with a configuration, once, and runs nothing', async () => {
    const repository = await service.repository({ 'a/main.tf': '' });
    const number = await repository.open('topic', {
      'a/main.tf': '#',
      '.infrastate/config.yml': 'enabeld: true\n',
    });
    await repository.announce(number, 'updated');
    expect(repository.comments()).toEqual([
      expect.stringContaining('.infrastate/config.yml:1: enabeld: unknown key; did you mean enabled?'),
    ]);
    expect(repository.statuses(repository.sha('topic'))['infrastate plan']?.state).toBe('failure');
    expect(repository.dispatches()).toEqual([]);
    // The page of the pull request reads them from here.
    const stored = await service.pool.query(
      'SELECT pull_number, sha, mistakes FROM configuration_mistakes WHERE repository_id = $1',
      [await service.repositoryId(repository)],
    );
    expect(stored.rows).toEqual([
      {
        pull_number: number,
        sha: repository.sha('topic'),
        mistakes: [
          {
            file: '.infrastate/config.yml',
            line: 1,
            key: 'enabeld',
            message: 'unknown key; did you mean enabled?',
          },
        ],
      },
    ]);
    // A bomb is one mistake like any other: the service lives, and reads the next file.
    const aliases = Array.from(
      { length: 9 },
      (_, n) => `a${n}: &a${n} [${n ? `*a${n - 1},`.repeat(9) : '1'}]`,
    );
    const bombs = [
      [aliases.join('\n'), 'must not expand more than 100 aliases'],
      [`a: &a 1\nb: [${'*a,'.repeat(350_000)}]`, 'must not exceed 262144 bytes'],
      ['['.repeat(200_000), 'must not nest more than 100 levels'],
      ['workflows: [{tag_query: "((("}]', 'workflows[0].tag_query'],
      ['dirs: {a: {depends_on: ["((("]}}', 'is neither a directory nor a tag query'],
    ];
    for (const [n, [config = '', mistake = '']] of bombs.entries()) {
      const bomb = await repository.open(`bomb-${n}`, { '.infrastate/config.yml': config });
      expect(repository.comments(bomb)).toEqual([expect.stringContaining(mistake)]);
    }
    await repository.open('harmless', { 'a/main.tf': '##' });
    await service.dispatch(repository, 0);
  });

  it.each(['github', 'gitlab'] as const)(
    'runs nothing of a fork at %s, and nothing that the head gives itself',
    async (provider) => {
      const repository = await service.repository({ 'a/main.tf': '' }, { provider });
      const files = {
        'a/main.tf': '#',
        '.infrastate/config.yml':
          "run: {on: pool, pool: mine, workflow: evil.yml}\naccess_control: {apply: ['*'], apply_force: ['*']}\n",
      };
      const fork = await repository.open('fork', files, { isFork: true });
      await repository.comment(fork, 'infrastate plan', { username: 'stranger' });
      expect(repository.dispatches()).toEqual([]);
      // Neither does a base branch that somebody has made for it.
      repository.commit('mine', {
        ...files,
        '.infrastate/config.yml': `${files['.infrastate/config.yml']}destination_branches: ['**']\n`,
      });
      const aimed = await repository.open('aimed', { 'a/main.tf': '##' }, { base: 'mine' });
      await repository.comment(aimed, 'infrastate apply-force', { username: 'stranger' });
      expect(repository.dispatches()).toEqual([]);
      const number = await repository.open('topic', files);
      const { workflow } = await service.dispatch(repository, 0);
      expect(workflow).toBe(provider === 'github' ? 'infrastate.yml' : undefined);
      await repository.comment(number, 'infrastate apply-force', { username: 'stranger' });
      expect(repository.comments().at(-1)).toContain('@stranger may not do this');
      const before = repository.comments().length;
      repository.setRole('author', 'admin');
      for (const text of [
        '> infrastate apply-force',
        '    infrastate apply-force',
        '```\ninfrastate apply-force\n```',
      ])
        await repository.comment(number, text);
      await repository.comment(number, 'infrastate apply-force', { isEdit: true });
      await repository.comment(number, 'infrastate apply-force', { isBot: true });
      if (provider === 'github') await repository.comment(number, 'infrastate apply-force', { isApp: true });
      expect(repository.comments()).toHaveLength(before);
      expect(repository.dispatches()).toHaveLength(1);
    },
  );

  it('ends a run that the provider refuses to start, and one whose CI job failed', async () => {
    const repository = await service.repository({
      'a/main.tf': '',
      '.infrastate/config.yml': 'run: {workflow: absent.yml}\n',
    });
    repository.setRole('author', 'write');
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await service.eventually('the comment', () =>
      repository.comments().some((text) => text.includes('WORKFLOW_NOT_FOUND')),
    );
    expect(repository.comments().at(-1)).toContain('.github/workflows/absent.yml');
    repository.commit('main', { '.infrastate/config.yml': null });
    await repository.comment(number, 'infrastate plan');
    const { runId } = await service.dispatch(repository, 0);
    await service.eventually('the run', async () => {
      const { rowCount } = await service.pool.query(
        `SELECT 1 FROM work_manifests WHERE run_id = $1 AND dispatch_state = 'sent'`,
        [runId],
      );
      return rowCount === 1;
    });
    await repository.jobFailed(runId);
    await service.eventually('the comment', () =>
      repository.comments().some((text) => text.includes('JOB_FAILED')),
    );
    expect(repository.comments().join('\n')).toContain('JOB_FAILED');
  });

  it('says what is wrong with the inputs of a pipeline', async () => {
    const repository = await service.repository(
      { 'a/main.tf': '', '.infrastate/config.yml': 'run: {runs_on: large}\n' },
      { provider: 'gitlab', owner: 'plain' },
    );
    const project = service.hosting.gitlab.projects.find(({ path }) => path === `plain/${repository.name}`);
    project?.declaredInputs.splice(0, project.declaredInputs.length, 'work_token', 'api_base_url');
    await repository.open('topic', { 'a/main.tf': '#' });
    await service.eventually('the comment', () =>
      repository.comments().some((text) => text.includes('GITLAB_INPUTS_MISSING_DEFAULTS')),
    );
    expect(repository.comments().join('\n')).toContain('GITLAB_INPUTS_MISSING_DEFAULTS');
  });
});
