import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { call, must, startGenerous } from '../support/identity.js';

function terraform(state: string, input: string, more = ''): string {
  return `terraform {
  backend "local" { path = ${JSON.stringify(state)} }
}
resource "terraform_data" "it" { input = ${JSON.stringify(input)} }
${more}`;
}

/** A runner that speaks the protocol by hand, so that a test can stop between any two calls. */
class PlayedRunner {
  private token = '';
  private seq = 0;

  constructor(
    private readonly service: HostedService,
    private readonly workToken: string,
  ) {}

  async initiate(): Promise<void> {
    const { token } = await must<{ token: string }>(this.service.api, 'POST', '/runner/initiate', {
      as: this.workToken,
      body: { run_id: 'played', nonce: 'played', runner: { version: '0.1.0', protocol: 1 } },
    });
    this.token = token;
  }

  async step(step: string, text: string, seq = this.seq++): Promise<void> {
    const scope = { type: 'dirspace', dir: 'a', workspace: 'default' };
    const payload = { text, plan: text, has_changes: true };
    await this.send('POST', 'steps', { steps: [{ seq, scope, step, state: 'success', payload }] });
  }

  async plan(bytes: string): Promise<void> {
    const answer = await fetch(`${this.service.api.url}/api/v1/runner/dirspaces/0/plan`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    expect(answer.status).toBe(204);
  }

  async readPlan(): Promise<string> {
    const answer = await fetch(`${this.service.api.url}/api/v1/runner/dirspaces/0/plan`, {
      headers: { authorization: `Bearer ${this.token}` },
    });
    expect(answer.status).toBe(200);
    return answer.text();
  }

  async results(fields: Record<string, unknown> = {}): Promise<void> {
    const dirspace = { dir: 'a', workspace: 'default', success: true, ...fields };
    await this.send('POST', 'results', { success: true, dirspaces: [dirspace] });
  }

  async send(method: string, path: string, body?: unknown): Promise<void> {
    await must(this.service.api, method, `/runner/${path}`, {
      as: this.token,
      ...(body === undefined ? {} : { body }),
    });
  }
}

describe('When something fails', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-failures-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(() => service.hosting.github.healed());

  async function aRepository(files: Record<string, string>): Promise<HostedRepository> {
    const repository = await service.repository(files);
    repository.setRole('author', 'write');
    return repository;
  }

  const commentWith = (repository: HostedRepository, text: string) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments().find((each) => each.includes(text)),
    );

  it('finds a run whose dispatch answered into the void, and sends it no second time', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    service.hosting.github.fail({ matches: /POST .*\/dispatches/, isLost: true });
    await repository.open('topic', { 'a/main.tf': '#' });
    const { runId } = await service.dispatch(repository, 0);
    const id = await service.repositoryId(repository);
    await service.eventually('the run to be looked for', async () => {
      // What the service waits for is over.
      await service.pool.query(
        `UPDATE work_manifests SET dispatched_at = dispatched_at - interval '2 minutes'
          WHERE repository_id = $1 AND dispatch_state = 'sending' AND dispatched_at > now() - interval '90 seconds'`,
        [id],
      );
      const { rows } = await service.pool.query(
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND dispatch_state = 'sent' AND run_id = $2`,
        [id, runId],
      );
      return rows.length === 1;
    });
    expect(repository.dispatches()).toHaveLength(1);
  });

  it('sends a run again whose dispatch never arrived', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    service.hosting.github.fail({ matches: /POST .*\/dispatches/, isCut: true });
    await repository.open('topic', { 'a/main.tf': '#' });
    const id = await service.repositoryId(repository);
    await service.eventually('the dispatch', async () => {
      await service.pool.query(
        `UPDATE work_manifests SET dispatched_at = dispatched_at - interval '2 minutes'
          WHERE repository_id = $1 AND dispatch_state = 'sending' AND dispatched_at > now() - interval '90 seconds'`,
        [id],
      );
      return repository.dispatches().length > 0;
    });
    expect(repository.dispatches()).toHaveLength(1);
  });

  it('says 503 to runners while the feature is off, once they are who they say', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    await repository.open('topic', { 'a/main.tf': '#' });
    const { inputs } = await service.dispatch(repository, 0);
    const poolToken = `infrastate_pool_${randomUUID()}`;
    await service.pool.query(
      `INSERT INTO runner_pools (id, tenant_id, name, token_hash) VALUES ($1, $2, 'off', $3)`,
      [randomUUID(), service.admin.tenantId, createHash('sha256').update(poolToken).digest()],
    );
    const off = await startGenerous({
      database: service.api.database,
      env: { ...service.hosting.env, SERVICE_ORCHESTRATION_ENABLED: 'false' },
    });
    try {
      const runner = { version: '0.1.0', protocol: 1 };
      const initiate = { path: '/runner/initiate', body: { run_id: '1', nonce: 'n', runner } };
      const claim = { path: '/runner/claim', body: { wait_seconds: 0, runner } };
      const disabled = { status: 503, body: { id: 'ORCHESTRATION_DISABLED' } };
      const ask = ({ path, body }: typeof initiate | typeof claim, as: string) =>
        call(off, 'POST', path, { as, body });
      expect(await ask(initiate, inputs['work_token'] ?? '')).toMatchObject(disabled);
      expect(await ask(claim, poolToken)).toMatchObject(disabled);
      expect((await ask(initiate, 'unknown')).status).toBe(401);
      expect((await ask(claim, 'unknown')).status).toBe(401);
      expect((await call(off, 'GET', '/runner/work', { as: 'unknown' })).status).toBe(401);
    } finally {
      await off.stop();
    }
  });

  it('keeps to one dispatch, one comment and one set of statuses however often it is killed', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    const { worker } = service.hosting;
    const killed = async (which: 'api' | 'worker'): Promise<void> => {
      const process = which === 'api' ? service.api : worker;
      await process.kill9();
      await process.restart();
    };
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await killed('worker');
    const first = await service.dispatch(repository, 0);
    const plan = new PlayedRunner(service, first.inputs['work_token'] ?? '');
    await plan.initiate();
    await killed('api');
    // The answer was lost: the same runner asks again.
    await plan.initiate();
    await plan.send('GET', 'work');
    await plan.step('tf/init', 'prepared');
    await plan.plan('the plan');
    await killed('api');
    await plan.plan('the plan');
    await plan.step('tf/plan', 'what is planned');
    await plan.step('tf/plan', 'what is planned', 1);
    service.hosting.github.latencyMs = 200;
    await plan.results({ has_changes: true });
    await killed('worker');
    service.hosting.github.latencyMs = 0;
    await plan.results({ has_changes: true });
    await commentWith(repository, 'Plan succeeded');

    await repository.comment(number, 'infrastate apply');
    await killed('worker');
    const second = await service.dispatch(repository, 1);
    const apply = new PlayedRunner(service, second.inputs['work_token'] ?? '');
    await apply.initiate();
    await killed('api');
    expect(await apply.readPlan()).toBe('the plan');
    await apply.step('tf/apply', 'what was applied');
    await killed('api');
    await apply.step('tf/apply', 'what was applied', 0);
    await apply.results();
    await apply.results();
    await commentWith(repository, 'Apply succeeded');

    const sha = repository.sha('topic');
    await service.eventually(
      'the statuses',
      () => repository.statuses(sha)['infrastate apply']?.state === 'success',
    );
    expect(repository.dispatches()).toHaveLength(2);
    for (const title of ['Plan succeeded', 'Apply succeeded'])
      expect(repository.comments().filter((text) => text.includes(title))).toHaveLength(1);
    const { rows } = await service.pool.query(
      `SELECT m.run_type, m.state, array_agg(o.step ORDER BY o.idx) AS steps
         FROM work_manifests m JOIN work_manifest_outputs o ON o.work_manifest_id = m.id
        WHERE m.repository_id = $1 GROUP BY m.id ORDER BY m.created_at`,
      [await service.repositoryId(repository)],
    );
    expect(rows).toEqual([
      { run_type: 'plan', state: 'completed', steps: ['tf/init', 'tf/plan'] },
      { run_type: 'apply', state: 'completed', steps: ['tf/apply'] },
    ]);
  }, 300_000);

  it('gives a run up whose runner fell silent, keeps the hold of an apply, and keeps what comes late', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const plan = new PlayedRunner(
      service,
      (await service.dispatch(repository, 0)).inputs['work_token'] ?? '',
    );
    await plan.initiate();
    await plan.plan('the plan');
    await plan.results({ has_changes: true });
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate apply');
    const apply = new PlayedRunner(
      service,
      (await service.dispatch(repository, 1)).inputs['work_token'] ?? '',
    );
    await apply.initiate();
    const id = await service.repositoryId(repository);
    await service.pool.query(
      `UPDATE work_manifests SET heartbeat_at = now() - interval '5 minutes' WHERE repository_id = $1 AND state = 'running'`,
      [id],
    );
    await commentWith(repository, 'RUN_LOST');
    await expect(apply.step('tf/apply', 'it went on')).rejects.toThrow('RUN_ENDED');
    await expect(apply.results()).rejects.toThrow('RUN_ENDED');
    const { rows } = await service.pool.query(
      `SELECT m.state, d.success, (SELECT count(*)::int FROM work_manifest_outputs o WHERE o.work_manifest_id = m.id) AS steps,
              (SELECT count(*)::int FROM dirspace_holds h WHERE h.repository_id = m.repository_id) AS holds
         FROM work_manifests m JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id
        WHERE m.repository_id = $1 AND m.run_type = 'apply'`,
      [id],
    );
    expect(rows).toEqual([{ state: 'aborted', success: true, steps: 1, holds: 1 }]);
  });

  it('stops terraform and says what it has when the CI job is cancelled', async () => {
    const state = join(home, 'slow.tfstate');
    const slow = terraform(
      state,
      'x',
      'resource "terraform_data" "slow" {\n  provisioner "local-exec" {\n    command = "sleep 300"\n  }\n}\n',
    );
    const repository = await aRepository({ 'a/main.tf': '' });
    const number = await repository.open('topic', { 'a/main.tf': slow });
    expect((await service.ciJob(repository, 0)).code).toBe(0);
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate apply');
    const { inputs, runId } = await service.dispatch(repository, 1);
    const child = spawn(
      process.execPath,
      [join(__dirname, '..', '..', 'cli', 'bin', 'infrastate.js'), 'run'],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: home,
          GITHUB_RUN_ID: runId,
          INFRASTATE_WORK_TOKEN: inputs['work_token'] ?? '',
          INFRASTATE_API_BASE: inputs['api_base_url'] ?? '',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await service.eventually('the provisioner', () => output.includes('sleep 300'));
    child.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(await commentWith(repository, 'Apply failed')).toContain('terraform_data.it');
    // What was applied before is in the state.
    expect(readFileSync(state, 'utf8')).toContain('"it"');
  }, 240_000);

  it('finds a comment whose answer was lost, and writes it no second time', async () => {
    for (const provider of ['github', 'gitlab'] as const) {
      const repository = await service.repository({ 'a/main.tf': '' }, { provider });
      repository.setRole('author', 'write');
      await repository.open('topic', { 'a/main.tf': '#' });
      const plan = new PlayedRunner(
        service,
        (await service.dispatch(repository, 0)).inputs['work_token'] ?? '',
      );
      await plan.initiate();
      service.hosting[provider].fail({ matches: /POST .*\/(comments|notes)$/, isLost: true });
      await plan.results({ has_changes: false });
      await service.eventually('the report', async () => {
        const { rowCount } = await service.pool.query(
          'SELECT 1 FROM work_manifests WHERE repository_id = $1 AND reported_at IS NOT NULL AND comment_id IS NOT NULL',
          [await service.repositoryId(repository)],
        );
        return rowCount === 1;
      });
      expect(repository.comments()).toHaveLength(1);
    }
  }, 240_000);

  it('waits for a provider that is down, and then says everything once', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    await repository.open('topic', { 'a/main.tf': '#' });
    const plan = new PlayedRunner(
      service,
      (await service.dispatch(repository, 0)).inputs['work_token'] ?? '',
    );
    await plan.initiate();
    service.hosting.github.fail({ matches: /\/comments|\/statuses/, times: 8, status: 503 });
    await plan.results({ has_changes: false });
    await commentWith(repository, 'Plan succeeded');
    await service.eventually(
      'the status',
      () => repository.statuses(repository.sha('topic'))['infrastate apply']?.state === 'success',
    );
    expect(repository.comments()).toHaveLength(1);
  }, 240_000);
});
