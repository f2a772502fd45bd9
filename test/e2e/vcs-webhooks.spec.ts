import { createHmac, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { allProcessed, type CodeHosting, eventually, startCodeHosting } from '../support/code-hosting.js';
import type { GithubInstallation, GithubRepository } from '../support/code-hosts/github-stand-in.js';
import { merge } from '../support/code-hosts/github-repository-routes.js';
import type { GitlabProject } from '../support/code-hosts/gitlab-stand-in.js';
import { type Admin, aMember, anAdmin, call, must, type Person } from '../support/identity.js';
import { startService } from '../support/service.js';

type Row = Record<string, unknown>;

describe('Webhooks of code hosts', () => {
  let hosts: CodeHosting;
  let admin: Admin;
  let member: Person;
  let installation: GithubInstallation;
  let repository: GithubRepository;

  beforeAll(async () => {
    hosts = await startCodeHosting();
    admin = await anAdmin(hosts.api);
    member = await aMember(hosts.api, admin);
    installation = hosts.github.install('acme');
    repository = hosts.github.addRepository('acme', 'infra', {
      'main.tf': '',
      '.infrastate/config.yml': 'version: 1\n',
    });
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'created',
      installation: { id: installation.id },
    });
    await allProcessed(hosts.api);
    await linkGithub(installation.id);
  });
  afterAll(() => hosts.stop());
  beforeEach(() => hosts.github.healed());

  async function query<T = Row>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await hosts.api.pool.query(sql, parameters)).rows as T[];
  }

  async function linkGithub(id: number): Promise<void> {
    const [row] = await query<{ id: string }>('SELECT id FROM installations WHERE installation_id = $1', [
      String(id),
    ]);
    await must(hosts.api, 'PUT', `/tenants/${admin.tenantId}/vcs-installations/github/${row?.id}`, {
      as: admin.token,
    });
  }

  const deliveries = () => query('SELECT * FROM webhook_deliveries ORDER BY seq');

  async function pulls(): Promise<Row[]> {
    const path = `/github/installations/${installation.id}/pull-requests`;
    const { body } = await call<{ pull_requests: Row[] }>(hosts.api, 'GET', path, { as: member.token });
    return body.pull_requests;
  }

  function sign(body: string | Buffer, algorithm = 'sha256'): string {
    return `${algorithm}=${createHmac(algorithm, hosts.github.webhookSecret).update(body).digest('hex')}`;
  }

  async function send(body: string | Buffer, headers: Record<string, string>): Promise<number> {
    const answer = await fetch(`${hosts.api.url}/api/v1/github/events`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': 'ping',
        'X-GitHub-Delivery': randomUUID(),
        ...headers,
      },
      body,
    });
    await answer.text();
    return answer.status;
  }

  describe('a signature', () => {
    it('must be the HMAC of exactly the bytes that were sent', async () => {
      const body = '{"a":1,"b":"\\u00e9","n":1.0}';
      for (const other of [
        '{"a": 1,"b":"\\u00e9","n":1.0}',
        '{"a":1,"b":"é","n":1.0}',
        '{"a":1,"b":"\\u00e9","n":1}',
        `${body}\n`,
      ])
        expect(await send(other, { 'X-Hub-Signature-256': sign(body) })).toBe(401);
      expect(await send(body, { 'X-Hub-Signature-256': sign(body) })).toBe(200);
    });

    it('is refused when it is missing, empty, long, of another kind, or of another secret', async () => {
      const body = '{}';
      const right = sign(body);
      expect(await send(body, {})).toBe(400);
      expect(await send(body, { 'X-Hub-Signature-256': '' })).toBe(400);
      expect(await send(body, { 'X-Hub-Signature': sign(body, 'sha1') })).toBe(400);
      for (const wrong of [
        'sha256=',
        right.slice(0, -1),
        `${right}0`,
        right.slice(7),
        sign(body, 'sha1'),
        `sha256=${'0'.repeat(64)}`,
        `sha256=${'f'.repeat(5000)}`,
      ])
        expect(await send(body, { 'X-Hub-Signature-256': wrong })).toBe(401);
      expect(await send('not json', { 'X-Hub-Signature-256': sign('not json') })).toBe(400);
      expect(await send('not json', { 'X-Hub-Signature-256': sign('x') })).toBe(401);
      expect(await send(body, { 'X-Hub-Signature-256': right, 'X-GitHub-Delivery': '' })).toBe(400);
      expect(await send(body, { 'X-Hub-Signature-256': right, 'X-GitHub-Delivery': 'x'.repeat(300) })).toBe(
        400,
      );
    });

    it('is looked at before a body of more than 25 MB is kept', async () => {
      const large = Buffer.alloc(26 * 1024 * 1024, 0x20);
      expect(await send(large, { 'X-Hub-Signature-256': sign(large) })).toBe(413);
    });
  });

  it('are stored once, also when copies arrive at two replicas at the same time', async () => {
    const second = await startService({ database: hosts.api.database, env: hosts.env });
    try {
      const id = randomUUID();
      const payload = { action: 'created', installation: { id: installation.id } };
      const statuses = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          hosts.github.deliver(index % 2 === 0 ? hosts.api : second, 'installation', payload, { id }),
        ),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect((await deliveries()).filter((row) => row['delivery_id'] === id)).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });

  it('keep a pull request as the provider has it, whatever order and age they have', async () => {
    const pull = hosts.github.addPull(repository, 'change', { 'main.tf': 'a' });
    const payload = (action: string) => ({
      ...hosts.github.payloadOf(repository),
      action,
      pull_request: { number: pull.number },
    });
    for (const path of [
      '/api/github/v1/events',
      '/api/vcs_a/v1/events',
      '/api/v1/github/events',
      '/api/v1/vcs_a/events',
    ])
      expect(await hosts.github.deliver(hosts.api, 'pull_request', payload('synchronize'), { path })).toBe(
        200,
      );
    await allProcessed(hosts.api);
    expect(await pulls()).toEqual([
      {
        // The change was planned without a request, so there is a run.
        latest_work_manifest_run_at: expect.any(String),
        base_branch: 'main',
        base_sha: repository.git.sha('main'),
        branch: 'change',
        sha: repository.git.sha('change'),
        name: 'infra',
        owner: 'acme',
        pull_number: 1,
        repository: String(repository.id),
        state: 'open',
        title: 'Change change',
        user: 'ada',
      },
    ]);
    merge(repository, pull);
    for (const action of ['closed', 'opened'])
      await hosts.github.deliver(hosts.api, 'pull_request', payload(action));
    await allProcessed(hosts.api);
    expect(await pulls()).toMatchObject([
      { state: 'merged', merged_sha: pull.mergedSha, merged_at: expect.any(String) },
    ]);
  });

  it('take over renames, archiving, suspension and what is set up', async () => {
    const other = hosts.github.addRepository('acme', 'before');
    await hosts.github.deliver(hosts.api, 'push', {
      ...hosts.github.payloadOf(other),
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
    });
    await allProcessed(hosts.api);
    const rows = () =>
      query(
        'SELECT name, is_archived, has_workflow, has_configuration FROM repositories WHERE provider_id = $1',
        [String(other.id)],
      );
    expect(await rows()).toEqual([
      { name: 'before', is_archived: false, has_workflow: false, has_configuration: false },
    ]);
    Object.assign(other, { name: 'after', archived: true });
    other.git.commit('main', {
      '.github/workflows/infrastate.yml': 'on: workflow_dispatch',
      '.infrastate/config.yaml': '',
    });
    await hosts.github.deliver(hosts.api, 'repository', {
      ...hosts.github.payloadOf(other),
      action: 'renamed',
    });
    await hosts.github.deliver(hosts.api, 'push', {
      ...hosts.github.payloadOf(other),
      ref: 'refs/heads/main',
      after: 'b'.repeat(40),
    });
    await allProcessed(hosts.api);
    expect(await rows()).toEqual([
      { name: 'after', is_archived: true, has_workflow: true, has_configuration: true },
    ]);
    const repos = await call<{ repositories: Row[] }>(
      hosts.api,
      'GET',
      `/vcs_a/installations/${installation.id}/repos`,
      { as: member.token },
    );
    expect(repos.body.repositories.map(({ name, setup }) => [name, setup])).toEqual([
      ['after', true],
      ['infra', false],
    ]);
    installation.suspendedAt = new Date().toISOString();
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'suspend',
      installation: { id: installation.id },
    });
    await allProcessed(hosts.api);
    expect(
      await query('SELECT state FROM installations WHERE installation_id = $1', [String(installation.id)]),
    ).toEqual([{ state: 'suspended' }]);
    installation.suspendedAt = null;
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'unsuspend',
      installation: { id: installation.id },
    });
    await allProcessed(hosts.api);
  });

  it('wait while the provider is down, in the order of their repository, and lose nothing', async () => {
    hosts.github.fail({ matches: /\/pulls\//, status: 503, times: 40, headers: { 'Retry-After': '0' } });
    const first = hosts.github.addPull(repository, 'first', { 'a.tf': '' });
    const second = hosts.github.addPull(repository, 'second', { 'b.tf': '' });
    for (const { number } of [first, second])
      await hosts.github.deliver(hosts.api, 'pull_request', {
        ...hosts.github.payloadOf(repository),
        action: 'opened',
        pull_request: { number },
      });
    await eventually(async () => hosts.github.requests(/\/pulls\//).length > 8);
    hosts.github.healed();
    await allProcessed(hosts.api);
    const rows = await query(`SELECT number FROM pull_requests WHERE number = ANY ($1)`, [
      [first.number, second.number],
    ]);
    expect(rows).toHaveLength(2);
    const [one, two] = await query<{ processed_at: Date }>(
      `SELECT processed_at FROM webhook_deliveries WHERE event = 'pull_request' ORDER BY seq DESC LIMIT 2`,
    );
    expect(Number(two?.processed_at)).toBeLessThanOrEqual(Number(one?.processed_at));
  });

  it('survive kill -9 of the worker between the store and the work', async () => {
    await hosts.worker.kill9();
    const numbers: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const { number } = hosts.github.addPull(repository, `crash-${index}`, { [`c${index}.tf`]: '' });
      numbers.push(number);
      await hosts.github.deliver(hosts.api, 'pull_request', {
        ...hosts.github.payloadOf(repository),
        action: 'opened',
        pull_request: { number },
      });
    }
    hosts.github.latencyMs = 100;
    await hosts.worker.restart();
    await eventually(
      async () => (await query(`SELECT FROM pull_requests WHERE number = ANY ($1)`, [numbers])).length > 3,
    );
    await hosts.worker.kill9();
    hosts.github.latencyMs = 0;
    // The lease of the lane ends by itself.
    await query(`UPDATE webhook_lanes SET leased_until = now() - interval '1 second'`);
    await hosts.worker.restart();
    await allProcessed(hosts.api);
    const rows = await query<{ number: number }>(
      `SELECT number FROM pull_requests WHERE number = ANY ($1) ORDER BY number`,
      [numbers],
    );
    expect(rows.map(({ number }) => number)).toEqual(numbers);
  });

  it('deliveries of an unknown or unlinked installation are recorded and start nothing', async () => {
    const stranger = hosts.github.install('stranger');
    const theirs = hosts.github.addRepository('stranger', 'theirs');
    const pull = hosts.github.addPull(theirs, 'change', { 'a.tf': '' });
    await hosts.github.deliver(hosts.api, 'pull_request', {
      ...hosts.github.payloadOf(theirs),
      action: 'opened',
      pull_request: { number: pull.number },
    });
    await hosts.github.deliver(hosts.api, 'pull_request', {
      ...hosts.github.payloadOf(theirs),
      action: 'opened',
      installation: { id: 99 },
      pull_request: { number: 1 },
    });
    await allProcessed(hosts.api);
    expect(
      await query('SELECT tenant_id FROM installations WHERE installation_id = $1', [String(stranger.id)]),
    ).toEqual([{ tenant_id: null }]);
    const { status } = await call(hosts.api, 'GET', `/github/installations/${stranger.id}/pull-requests`, {
      as: member.token,
    });
    expect(status).toBe(403);
    const unclaimed = await call<{ results: Row[] }>(hosts.api, 'GET', '/vcs-installations/vcs_a/unclaimed', {
      as: admin.token,
    });
    expect(unclaimed.body.results).toMatchObject([{ github_id: String(stranger.id), login: 'stranger' }]);
  });

  it('never answer 500, and never fail for good, whatever their payloads hold', async () => {
    const events = [
      'installation',
      'installation_repositories',
      'repository',
      'pull_request',
      'issue_comment',
      'workflow_job',
      'push',
      'x'.repeat(500),
    ];
    const full = {
      ...hosts.github.payloadOf(repository),
      action: 'created',
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
      pull_request: { number: 1 },
      issue: { number: 1, pull_request: {} },
      comment: { id: 5, body: 'infrastate plan', user: { login: 'ada', type: 'User' } },
      workflow_job: { conclusion: 'failure', run_id: 5 },
      repositories_added: [{ id: repository.id }],
    };
    const odd = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        '',
        '\u0000\ud800',
        0,
        -1,
        1e300,
        2 ** 53,
        [],
        {},
        true,
        'x'.repeat(100_000),
      ),
      fc.jsonValue(),
    );
    const mutate = fc.tuple(
      fc.constantFrom(...events),
      fc.dictionary(fc.constantFrom(...Object.keys(full)), odd),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(mutate, async ([event, changed, drops]) => {
        const payload: Row = drops
          ? { installation: { id: installation.id }, ...changed }
          : { ...full, ...changed };
        const body = JSON.stringify(payload);
        const status = await send(body, {
          'X-GitHub-Event': event.slice(0, 500),
          'X-Hub-Signature-256': sign(body),
        });
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 120 },
    );
    await allProcessed(hosts.api);
    expect(await query(`SELECT event, action, error FROM webhook_deliveries WHERE state = 'failed'`)).toEqual(
      [],
    );
  });

  it('are listed for administrators, without their bodies', async () => {
    const path = `/tenants/${admin.tenantId}/vcs-installations/deliveries?limit=3`;
    const first = await call<{ results: Row[]; next_page: string }>(hosts.api, 'GET', path, {
      as: admin.token,
    });
    expect(first.body.results).toHaveLength(3);
    expect(Object.keys(first.body.results[0] ?? {}).sort()).not.toContain('body');
    const second = await call<{ results: Row[] }>(hosts.api, 'GET', `${path}&page=${first.body.next_page}`, {
      as: admin.token,
    });
    const link = /<([^>]+)>; rel="prev"/.exec(second.headers.get('link') ?? '')?.[1] ?? '';
    const back = await fetch(link, { headers: { Authorization: `Bearer ${admin.token}` } });
    expect(((await back.json()) as { results: Row[] }).results).toEqual(first.body.results);
    expect((await call(hosts.api, 'GET', `${path}&page=WzFd`, { as: admin.token })).status).toBe(400);
  });

  it('webhook deliveries are counted in metrics', async () => {
    const metrics = await (await fetch(`${hosts.api.internalUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /vcs_deliveries_total\{provider="github",event="pull_request",result="stored"\} \d+/,
    );
    expect(metrics).toContain('vcs_oldest_delivery_age_seconds 0');
    const worked = await (await fetch(`${hosts.worker.internalUrl}/metrics`)).text();
    expect(worked).toMatch(
      /vcs_provider_requests_total\{provider="github",route="GET \/repos\/\{repo\}\/pulls\/\{n\}",status="200"\} \d+/,
    );
  });

  describe('of a group', () => {
    let project: GitlabProject;
    let secret: string;
    let url: string;

    beforeAll(async () => {
      const group = hosts.gitlab.addGroup('platform');
      project = hosts.gitlab.addProject(group.id, 'network');
      const made = await must(hosts.api, 'POST', `/tenants/${admin.tenantId}/vcs-installations/gitlab`, {
        as: admin.token,
        body: { name: 'platform', group_id: group.id, access_token: hosts.gitlab.addGroupToken(group.id) },
      });
      secret = made['webhook_secret'] ?? '';
      url = made['webhook_url'] ?? '';
    });

    const hook = (kind: string, further: Row): Row => ({
      object_kind: kind,
      project: hosts.gitlab.hookProject(project),
      ...further,
    });

    it('need its secret: missing 400, unknown 500, undecodable 200', async () => {
      expect(await hosts.gitlab.deliver(url, undefined, {})).toBe(400);
      expect(await hosts.gitlab.deliver(url, 'f'.repeat(64), {})).toBe(500);
    });

    it('install it with the first one, which records its project and starts nothing', async () => {
      const request = hosts.gitlab.addMergeRequest(project, 'first', { 'a.tf': '' });
      expect(
        await hosts.gitlab.deliver(
          url,
          secret,
          hook('merge_request', { object_attributes: { iid: request.iid, action: 'open' } }),
        ),
      ).toBe(200);
      await allProcessed(hosts.api);
      expect(await query(`SELECT state FROM installations WHERE provider = 'gitlab'`)).toEqual([
        { state: 'installed' },
      ]);
      expect(
        await query('SELECT owner, name FROM repositories WHERE provider_id = $1', [String(project.id)]),
      ).toEqual([{ owner: 'platform', name: 'network' }]);
      expect(
        await query(
          'SELECT FROM pull_requests p JOIN repositories r ON r.id = p.repository_id WHERE r.provider_id = $1',
          [String(project.id)],
        ),
      ).toHaveLength(0);
      expect(await hosts.gitlab.deliver(url, secret, 'not json')).toBe(200);
    });

    it('bring merge requests, and a repeated one nothing', async () => {
      const id = randomUUID();
      for (let times = 0; times < 2; times += 1)
        expect(
          await hosts.gitlab.deliver(
            url,
            secret,
            hook('merge_request', { object_attributes: { iid: 1, action: 'update', oldrev: 'a' } }),
            { id },
          ),
        ).toBe(200);
      await allProcessed(hosts.api);
      expect(await query('SELECT FROM webhook_deliveries WHERE delivery_id = $1', [id])).toHaveLength(1);
      const group = project.group;
      const { body } = await call<{ pull_requests: Row[] }>(
        hosts.api,
        'GET',
        `/vcs_b/installations/${group}/pull-requests?pr=1`,
        { as: member.token },
      );
      expect(body.pull_requests).toMatchObject([
        { pull_number: 1, sha: project.git.sha('first'), state: 'open', owner: 'platform' },
      ]);
    });

    it('never answer 500 to its secret, whatever they hold', async () => {
      const odd = fc.oneof(fc.constantFrom<unknown>(null, '', 0, 2 ** 60, [], {}), fc.jsonValue());
      const keys = [
        'object_kind',
        'project',
        'object_attributes',
        'merge_request',
        'user',
        'project_id',
        'pipeline_id',
        'ref',
      ];
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('push', 'merge_request', 'note', 'build', 'pipeline', 'project_transfer'),
          fc.dictionary(fc.constantFrom(...keys), odd),
          async (kind, changed) => {
            expect(await hosts.gitlab.deliver(url, secret, { ...hook(kind, {}), ...changed })).toBe(200);
          },
        ),
        { numRuns: 60 },
      );
      await allProcessed(hosts.api);
      expect(await query(`SELECT event, error FROM webhook_deliveries WHERE state = 'failed'`)).toEqual([]);
    });
  });
});
