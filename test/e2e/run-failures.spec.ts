import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';
import { RealRunner } from '../support/hosted/real-runner.js';
import { type Killed, type LifeStep, RunLife } from '../support/hosted/run-life.js';
import { must } from '../support/identity.js';

function terraform(backend: string, input: string, more = ''): string {
  return `terraform {
  backend ${backend}
}
resource "terraform_data" "it" { input = ${JSON.stringify(input)} }
${more}`;
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

  /** As if this time had passed since what the service dispatched; answers the runs. */
  async function later(repository: HostedRepository, interval: string) {
    const id = await service.repositoryId(repository);
    await service.pool.query(
      `UPDATE work_manifests SET dispatched_at = dispatched_at - $2::interval, retry_at = retry_at - $2::interval
        WHERE repository_id = $1 AND state = 'queued' AND dispatch_state IS NOT NULL AND dispatched_at > now() - interval '50 seconds'`,
      [id, interval],
    );
    const { rows } = await service.pool.query<{ run_id: string | null; error_id: string | null }>(
      `SELECT run_id, error_id FROM work_manifests WHERE repository_id = $1 AND dispatch_state = 'sent'`,
      [id],
    );
    return rows;
  }

  it.each([
    ['github', true],
    ['github', false],
    ['gitlab', true],
    ['gitlab', false],
  ] as const)(
    'ends a run whose job was cancelled before it began (%s, told: %s)',
    async (provider, isTold) => {
      const repository = await service.repository({ 'a/main.tf': '' }, { provider });
      repository.setRole('author', 'write');
      await repository.open('topic', { 'a/main.tf': '#' });
      const { runId } = await service.dispatch(repository, 0);
      await service.eventually('the answer', async () => (await later(repository, '0')).length === 1);
      await repository.cancelJob(runId, { isTold });
      await service.eventually('the end of the run', async () => {
        const [run] = await later(repository, isTold ? '0' : '70 seconds');
        return run?.error_id === 'CANCELLED';
      });
      await commentWith(repository, isTold ? 'its CI job was cancelled' : 'before a runner began it');
    },
    120_000,
  );

  it.each(['isLost', undefined] as const)(
    'finds a run at a server that does not say what it dispatched (%s)',
    async (how) => {
      const { github } = service.hosting;
      github.knowsRunDetails = false;
      try {
        const repository = await aRepository({ 'a/main.tf': '' });
        const asked = () => github.requests(new RegExp(`POST .*/${repository.name}/.*/dispatches`)).length;
        // The first answer refuses the key, which the service remembers.
        github.disturb = (line) => (line.endsWith('/dispatches') && asked() === 2 ? how : undefined);
        await repository.open('topic', { 'a/main.tf': '#' });
        const { runId } = await service.dispatch(repository, 0);
        await service.eventually('the run to be found', async () => {
          const runs = await later(repository, '70 seconds');
          return runs.length === 1 && runs[0]?.run_id === runId;
        });
        expect([asked(), repository.dispatches().length]).toEqual([how ? 2 : 1, 1]);
      } finally {
        github.knowsRunDetails = true;
        github.disturb = undefined;
      }
    },
    120_000,
  );

  it('keeps to one dispatch, one comment and one set of statuses, though processes are killed', async () => {
    const killed: Partial<Record<LifeStep, Killed>> = {
      opened: 'worker',
      uploaded: 'api',
      'apply ended': 'both',
    };
    const life = new RunLife(service, await aRepository({ 'a/main.tf': '' }));
    await life.live((step) => killed[step]);
    await life.expectWhole();
  }, 300_000);

  it('lets a failed hook fail the plan, which is not applied, and the apply, which is not merged', async () => {
    const repository = await aRepository({
      'a/main.tf': '',
      '.infrastate/config.yml': 'automerge: {enabled: true}\n',
    });
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const sha = repository.sha('topic');
    const statusIs = (context: string, state: string) =>
      service.eventually(`${context} is ${state}`, () => repository.statuses(sha)[context]?.state === state);
    const runner = async (n: number): Promise<PlayedRunner> => {
      const { inputs } = await service.dispatch(repository, n);
      const played = new PlayedRunner(service, inputs['work_token'] ?? '');
      await played.initiate();
      return played;
    };
    const plan = await runner(0);
    await plan.plan('the plan');
    await plan.results({ has_changes: true }, { success: false });
    await commentWith(repository, 'Plan failed');
    await statusIs('infrastate plan', 'failure');
    await repository.comment(number, 'infrastate apply');
    await commentWith(repository, 'a hook of the plan failed');

    await repository.comment(number, 'infrastate plan');
    const again = await runner(1);
    await again.plan('the plan');
    await again.results({ has_changes: true });
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate apply');
    const apply = await runner(2);
    await apply.results({}, { success: false });
    await commentWith(repository, 'Everything was applied, and a hook failed after it');
    await statusIs('infrastate apply', 'failure');
    expect(repository.isMerged(number)).toBe(false);
    // What was applied is applied: there is nothing left to do.
    await repository.comment(number, 'infrastate apply');
    await commentWith(repository, 'nothing is planned with changes');
    expect(repository.dispatches()).toHaveLength(3);
  }, 240_000);

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

  it('gives a plan file to exactly its apply, and none whose bytes have changed', async () => {
    const begun = async (repository: HostedRepository, n: number): Promise<PlayedRunner> => {
      const { inputs } = await service.dispatch(repository, n);
      const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
      await runner.initiate();
      return runner;
    };
    const changed = await aRepository({ 'a/main.tf': '' });
    const applies: PlayedRunner[] = [];
    for (const [n, repository] of [changed, await aRepository({ 'a/main.tf': '' })].entries()) {
      const number = await repository.open('topic', { 'a/main.tf': '#' });
      const plan = await begun(repository, 0);
      await plan.plan(`plan ${n}`);
      // A plan reads none, its own neither.
      await expect(plan.readPlan()).rejects.toThrow('answered with 404');
      await plan.results({ has_changes: true });
      await commentWith(repository, 'Plan succeeded');
      await repository.comment(number, 'infrastate apply');
      applies.push(await begun(repository, 1));
    }
    const [first, second] = applies as [PlayedRunner, PlayedRunner];
    expect([await first.readPlan(), await second.readPlan()]).toEqual(['plan 0', 'plan 1']);
    for (const n of [1, 2_000_000_000, -1])
      await expect(first.readPlan(n)).rejects.toThrow('answered with 404');
    await service.pool.query(
      `UPDATE plan_files SET sha256 = sha256('another plan') WHERE work_manifest_id IN
         (SELECT id FROM work_manifests WHERE repository_id = $1)`,
      [await service.repositoryId(changed)],
    );
    await expect(first.readPlan()).rejects.toThrow('answered with 404');
    expect(await second.readPlan()).toBe('plan 1');
    expect(service.output()).toContain('plan file does not match its checksum');
    for (const apply of applies) await apply.results();
  });

  it.each([
    ['without a state', undefined],
    ['with mode full', 'full'],
    ['with mode delta', 'delta'],
  ])(
    'stops terraform and says what it has when the CI job is cancelled, %s',
    async (_, mode) => {
      const [state, group] = [join(home, 'slow.tfstate'), randomUUID()];
      const slow = terraform(
        mode === undefined ? `"local" { path = ${JSON.stringify(state)} }` : '"http" {}',
        'x',
        'resource "terraform_data" "slow" {\n  provisioner "local-exec" {\n    command = "sleep 300"\n  }\n}\n',
      );
      const repository = await aRepository({
        'a/main.tf': '',
        ...(mode === undefined
          ? {}
          : { '.infrastate/config.yml': `dirs: {a: {mode: ${mode}, state: {group_id: ${group}}}}\n` }),
      });
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
      const document =
        mode === undefined
          ? readFileSync(state, 'utf8')
          : JSON.stringify(
              await must(service.api, 'GET', `/states/backend/${group}`, { as: service.admin.token }),
            );
      expect(document).toContain('"it"');
    },
    240_000,
  );

  /** Stands for Terraform: an apply prints until the file is there, and says when it was told to stop. */
  function slowEngine(): { command: string; isApplying: () => boolean; setFree: (isFree: boolean) => void } {
    const [command, applying, free] = ['engine', 'applying', 'free'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(
      command,
      `#!/bin/sh
case "$1" in
plan)
  echo planned > "$INFRASTATE_PLAN_FILE"
  echo 'Plan: 1 to add, 0 to change, 0 to destroy.'
  exit 2;;
apply)
  trap 'echo "interrupted"; exit 1' INT
  touch '${applying}'
  while [ ! -e '${free}' ]; do echo 'still applying'; sleep 0.1; done
  echo 'applied whole';;
esac
`,
      { mode: 0o755 },
    );
    return {
      command,
      isApplying: () => existsSync(applying),
      setFree: (isFree) => {
        rmSync(applying, { force: true });
        if (isFree) writeFileSync(free, '');
        else rmSync(free, { force: true });
      },
    };
  }

  it('stops an apply that is cancelled and keeps what it says, and none for a newer commit', async () => {
    const { command, isApplying, setFree } = slowEngine();
    const repository = await aRepository({
      'a/main.tf': '',
      '.infrastate/config.yml': `engine: {name: terraform, command: ${JSON.stringify(command)}}\n`,
    });
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const planned = async (n: number): Promise<void> => {
      expect((await service.ciJob(repository, n)).code).toBe(0);
      await service.eventually(
        'the plan',
        () => repository.statuses(repository.sha('topic'))['infrastate plan']?.state === 'success',
      );
      await repository.comment(number, 'infrastate apply');
    };
    await planned(0);
    const whole = await RealRunner.start(service, repository, 1, { home });
    await service.eventually('the apply', isApplying);
    repository.commit('topic', { 'a/main.tf': '##' });
    await repository.announce(number, 'updated');
    const id = await service.repositoryId(repository);
    const runs = async (runType: string) => {
      const { rows } = await service.pool.query<{
        id: string;
        state: string;
        error: string | null;
        said: string;
      }>(
        `SELECT m.id, m.state, m.error_id AS error,
                (SELECT string_agg(p.payload::text, '') FROM work_manifest_outputs o
                   JOIN work_manifest_payloads p USING (work_manifest_id, idx)
                  WHERE o.work_manifest_id = m.id AND o.step = 'tf/apply') AS said
           FROM work_manifests m WHERE m.repository_id = $1 AND m.run_type = $2 ORDER BY m.created_at`,
        [id, runType],
      );
      return rows;
    };
    await service.eventually('the plan of the newer commit', async () => (await runs('plan')).length === 2);
    setFree(true);
    expect(await whole.ended).toBe(0);
    expect(await runs('apply')).toMatchObject([
      { state: 'completed', error: null, said: expect.stringContaining('applied whole') as string },
    ]);

    await planned(2);
    setFree(false);
    const cancelled = await RealRunner.start(service, repository, 3, { home });
    await service.eventually('the apply', isApplying);
    const { rows } = await service.pool.query<{ id: string }>(
      `SELECT i.installation_id AS id FROM repositories r JOIN installations i ON i.id = r.installation_id WHERE r.id = $1`,
      [id],
    );
    const run = (await runs('apply'))[1]?.id ?? '';
    await must(
      service.api,
      'POST',
      `/github/installations/${rows[0]?.id ?? ''}/work-manifests/${run}/cancel`,
      { as: service.admin.token },
    );
    expect(await cancelled.ended).toBe(3);
    expect((await runs('apply'))[1]).toMatchObject({
      state: 'aborted',
      error: 'CANCELLED',
      said: expect.stringContaining('interrupted') as string,
    });
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

  it('says once what a command, a merge and a mistake are answered with, though the answer or the request is lost', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    const failNext = (how: 'isLost' | 'isCut'): void =>
      service.hosting.github.fail({
        matches: new RegExp(`POST .*/${repository.name}/issues/\\d+/comments$`),
        [how]: true,
      });
    const saidOnce = async (number: number, text: string): Promise<void> => {
      await commentWith(repository, text);
      expect(repository.comments(number).filter((each) => each.includes(text))).toHaveLength(1);
    };
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const { inputs } = await service.dispatch(repository, 0);
    failNext('isLost');
    await repository.comment(number, 'infrastate apply');
    await saidOnce(number, 'nothing is planned with changes');
    const plan = new PlayedRunner(service, inputs['work_token'] ?? '');
    await plan.initiate();
    await plan.results({ has_changes: true });
    await saidOnce(number, 'Plan succeeded');
    failNext('isLost');
    await repository.merge(number);
    await saidOnce(number, 'Merged before everything was applied');
    failNext('isCut');
    const wrong = await repository.open('wrong', { '.infrastate/config.yml': 'dirz: {}\n' });
    await saidOnce(wrong, 'dirz');
  }, 120_000);

  it('waits for a provider that is down, and then says everything once', async () => {
    const repository = await aRepository({ 'a/main.tf': '' });
    await repository.open('topic', { 'a/main.tf': '#' });
    const plan = new PlayedRunner(
      service,
      (await service.dispatch(repository, 0)).inputs['work_token'] ?? '',
    );
    await plan.initiate();
    service.hosting.github.fail({
      matches: /\/comments|\/statuses/,
      times: 8,
      status: 503,
      headers: { 'Retry-After': '0' },
    });
    await plan.results({ has_changes: false });
    await commentWith(repository, 'Plan succeeded');
    await service.eventually(
      'the status',
      () => repository.statuses(repository.sha('topic'))['infrastate apply']?.state === 'success',
    );
    expect(repository.comments()).toHaveLength(1);
  }, 240_000);
});
