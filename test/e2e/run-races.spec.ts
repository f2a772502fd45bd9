import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostedGithubRepository } from '../support/hosted/github-repository.js';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';
import { must } from '../support/identity.js';
import { aRun } from '../support/run-records.js';

describe('What happens between two steps of a pull request', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-races-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(config = ''): Promise<HostedRepository> {
    const repository = await service.repository({ 'a/main.tf': '', '.infrastate/config.yml': config });
    repository.setRole('author', 'write');
    return repository;
  }

  const commentWith = (repository: HostedRepository, text: string) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments().find((each) => each.includes(text)),
    );
  const statusIs = (repository: HostedRepository, context: string, state: string) =>
    service.eventually(
      `${context} ${state}`,
      () => repository.statuses(repository.sha('topic'))[context]?.state === state,
    );

  async function begun(repository: HostedRepository, n: number): Promise<PlayedRunner> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
    return runner;
  }

  /** A pull request with a plan that has changes; its number. */
  async function planned(repository: HostedRepository): Promise<number> {
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const runner = await begun(repository, 0);
    await runner.plan('the plan');
    await runner.results({ has_changes: true });
    await commentWith(repository, 'Plan succeeded');
    return number;
  }

  /** The nth run is a plan with changes; until its comment stands. */
  async function planResults(repository: HostedRepository, n: number): Promise<void> {
    const runner = await begun(repository, n);
    await runner.plan('the plan');
    await runner.results({ has_changes: true });
    await service.eventually('the comment', async () => {
      const rows = await rowsOf(
        repository,
        'SELECT 1 FROM work_manifests WHERE repository_id = $1 AND reported_at IS NULL',
      );
      return rows.length === 0;
    });
  }

  async function rowsOf<Row extends object>(repository: HostedRepository, sql: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(sql, [await service.repositoryId(repository)]);
    return rows;
  }
  const runsOf = (repository: HostedRepository) =>
    rowsOf<{ run_type: string; state: string; error_id: string | null }>(
      repository,
      'SELECT run_type, state, error_id FROM work_manifests WHERE repository_id = $1 ORDER BY created_at',
    );

  it('says that a plan failed whose job failed, and plans when it is asked to', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const { runId } = await service.dispatch(repository, 0);
    await repository.jobFailed(runId);
    await commentWith(repository, 'JOB_FAILED');
    await statusIs(repository, 'infrastate plan', 'failure');
    await statusIs(repository, 'infrastate plan: a default', 'failure');
    expect(repository.statuses(repository.sha('topic'))['infrastate apply']?.state).toBe('pending');
    await repository.comment(number, 'infrastate plan');
    await begun(repository, 1);
    await statusIs(repository, 'infrastate plan', 'pending');
  });

  it('ends nothing and refuses nothing when a comment is worked on again after a crash', async () => {
    const repository = await aRepository();
    const number = await planned(repository);
    const again = async (text: string, id: number): Promise<void> => {
      await repository.comment(number, text, { id });
      // As if the service had died before it said that the comment was answered.
      await rowsOf(repository, 'UPDATE comment_commands SET answered_at = NULL WHERE repository_id = $1');
      await repository.comment(number, text, { id });
    };
    await again('infrastate plan', 910_001);
    const plan = await begun(repository, 1);
    await plan.plan('another plan');
    await plan.results({ has_changes: true });
    await service.eventually('both plans', async () => (await runsOf(repository))[1]?.state === 'completed');
    await again('infrastate apply', 910_002);
    await begun(repository, 2);
    expect(repository.dispatches()).toHaveLength(3);
    expect(repository.comments().filter((text) => text.includes('Not applied'))).toEqual([]);
  });

  it('refuses a command that was delivered hours ago, once, and carries out what had begun', async () => {
    const repository = await aRepository();
    const number = await planned(repository);
    const lane = `github ${repository instanceof HostedGithubRepository ? repository.repository.id : ''}`;
    /** Delivers a comment that is worked on as if it had arrived long ago. */
    const late = async (text: string, id: number, age: string): Promise<void> => {
      await service.eventually('the lane to be free, and nobody to work on it', async () => {
        const leased = await service.pool.query(
          `INSERT INTO webhook_lanes AS l (lane, holder, leased_until)
           VALUES ($1, gen_random_uuid(), now() + interval '1 hour')
           ON CONFLICT (lane) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
            WHERE l.leased_until IS NULL OR l.leased_until < now()`,
          [lane],
        );
        return leased.rowCount === 1;
      });
      const delivered = repository.comment(number, text, { id });
      await service.eventually('the delivery', async () => {
        const aged = await service.pool.query(
          `UPDATE webhook_deliveries SET received_at = now() - $2::interval WHERE lane = $1 AND state = 'received'`,
          [lane, age],
        );
        return aged.rowCount === 1;
      });
      await service.pool.query(
        'UPDATE webhook_lanes SET holder = NULL, leased_until = NULL WHERE lane = $1',
        [lane],
      );
      await delivered;
    };
    const tooLate = () => repository.comments().filter((text) => text.includes('came too late'));
    for (const command of ['infrastate apply', 'infrastate plan', 'infrastate unlock'])
      await late(command, 920_001, '121 minutes');
    expect(tooLate()).toHaveLength(1);
    expect(tooLate()[0]).toContain('write it again');
    await late('infrastate unlock', 920_002, '6 days');
    expect(tooLate()).toHaveLength(2);
    expect(await runsOf(repository)).toHaveLength(1);

    await late('infrastate plan', 920_003, '119 minutes');
    await begun(repository, 1);
    // The answer was lost, and the delivery is tried again after hours.
    await rowsOf(repository, 'UPDATE comment_commands SET answered_at = NULL WHERE repository_id = $1');
    await late('infrastate plan', 920_003, '5 hours');
    await rowsOf(
      repository,
      'UPDATE comment_commands SET answered_at = NULL, carried_out_at = NULL WHERE repository_id = $1',
    );
    await late('infrastate plan', 920_003, '5 hours');
    expect(tooLate()).toHaveLength(2);
    expect(await runsOf(repository)).toMatchObject([{ state: 'completed' }, { state: 'running' }]);
    expect(repository.dispatches()).toHaveLength(2);
  });

  it('says that the provider lists not all files, and plans nothing', async () => {
    const repository = await aRepository();
    service.hosting.github.fail({
      matches: new RegExp(`/${repository.name}/git/trees/`),
      status: 200,
      json: { sha: 'a', tree: [], truncated: true },
      times: 100,
    });
    await repository.open('topic', { 'a/main.tf': '#' });
    await commentWith(repository, 'does not list all files');
    await statusIs(repository, 'infrastate plan', 'failure');
    expect(repository.dispatches()).toEqual([]);
    service.hosting.github.healed();
  });

  it('asks the provider for a known commit no more than what may have changed', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await service.dispatch(repository, 0);
    await statusIs(repository, 'infrastate plan: a default', 'pending');
    const { github } = service.hosting;
    const before = github.log.length;
    await repository.announce(number, 'updated');
    const asked = github.log.slice(before).filter((line) => line.includes(`/${repository.name}/`));
    const reads = asked.flatMap((line) => /^GET .*\/infra-\d+\/([^?]+)/.exec(line)?.[1] ?? []);
    expect(reads.sort()).toEqual(['git/ref/heads/main', 'pulls/1', 'pulls/1/files']);
  });

  it('plans a commit again that becomes the head again', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const first = repository.sha('topic');
    await service.dispatch(repository, 0);
    repository.commit('topic', { 'a/main.tf': '##' });
    await repository.announce(number, 'updated');
    await service.dispatch(repository, 1);
    if (!(repository instanceof HostedGithubRepository)) throw new Error('another host');
    repository.repository.git.git('update-ref', 'refs/heads/topic', first);
    await repository.announce(number, 'updated');
    await repository.announce(number, 'updated');
    await begun(repository, 2);
    expect(repository.dispatches()).toHaveLength(3);
    expect((await runsOf(repository)).map(({ state, error_id }) => error_id ?? state)).toEqual([
      'SUPERSEDED',
      'SUPERSEDED',
      'running',
    ]);
  });

  it('keeps the plan of a newer commit while the comment on an older plan is being written', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const older = await begun(repository, 0);
    let continueComment = (): void => undefined;
    const isPushed = new Promise<void>((resolve) => (continueComment = resolve));
    const { github } = service.hosting;
    const comments = new RegExp(`^POST .*/${repository.name}/issues/${number}/comments`);
    github.fail({ matches: comments, until: isPushed });
    await older.plan('the plan');
    await older.results({ has_changes: true });
    await service.eventually('the comment to be on its way', () => github.requests(comments).length === 1);
    repository.commit('topic', { 'a/main.tf': '##' });
    await repository.announce(number, 'updated');
    const newer = await begun(repository, 1);
    continueComment();
    await service.eventually('the report', async () => {
      const rows = await rowsOf(
        repository,
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND state = 'completed' AND reported_at IS NULL`,
      );
      return rows.length === 0;
    });
    expect((await runsOf(repository)).map(({ state }) => state)).toEqual(['completed', 'running']);
    await newer.plan('a newer plan');
    await newer.results({ has_changes: true });
    await statusIs(repository, 'infrastate plan', 'success');
    expect(repository.dispatches()).toHaveLength(2);
  });

  it('counts the rights of the base branch as they stand now, not when the pull request was opened', async () => {
    const repository = await aRepository();
    const number = await planned(repository);
    repository.commit('main', { '.infrastate/config.yml': 'access_control: {apply: ["role:admin"]}\n' });
    await repository.comment(number, 'infrastate apply');
    await commentWith(repository, 'may not do this');
    expect(repository.dispatches()).toHaveLength(1);
  });

  it('applies after the merge what was planned before, and holds nothing for ever', async () => {
    const repository = await aRepository('apply_requirements: {apply_after_merge: {enabled: true}}\n');
    const number = await planned(repository);
    await repository.comment(number, 'infrastate apply');
    await commentWith(repository, 'has to be merged first');
    await repository.merge(number);
    await repository.comment(number, 'infrastate apply');
    const apply = await begun(repository, 1);
    expect(await apply.readPlan()).toBe('the plan');
    const holds = () => rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1');
    expect(await holds()).toHaveLength(1);
    await apply.results();
    await commentWith(repository, 'Apply succeeded');
    await service.eventually('the end of the hold', async () => (await holds()).length === 0);
  });

  it('neither plans nor applies for a pull request that is closed', async () => {
    const repository = await aRepository();
    repository.setRole('author', 'admin');
    const number = await planned(repository);
    await repository.close(number);
    await repository.comment(number, 'infrastate apply-force');
    await commentWith(repository, 'Not applied');
    await repository.comment(number, 'infrastate plan');
    await commentWith(repository, 'Not planned');
    expect(await rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1')).toEqual([]);
    expect(repository.dispatches()).toHaveLength(1);
  });

  it('applies nothing beside an apply that fell silent, until somebody has looked', async () => {
    const repository = await aRepository();
    const number = await planned(repository);
    await repository.comment(number, 'infrastate apply');
    await begun(repository, 1);
    await rowsOf(
      repository,
      `UPDATE work_manifests SET heartbeat_at = now() - interval '5 minutes' WHERE repository_id = $1 AND state = 'running'`,
    );
    await commentWith(repository, 'RUN_LOST');
    await statusIs(repository, 'infrastate apply', 'failure');
    await repository.comment(number, 'infrastate apply');
    await commentWith(repository, 'may still be running');
    await repository.comment(number, 'infrastate unlock');
    expect(await commentWith(repository, 'Unlocked: 1')).toContain('comment `infrastate plan`');
    // Nobody knows how far the plan was applied: another one is made before anything is applied.
    await repository.comment(number, 'infrastate apply');
    await commentWith(repository, 'the plan is used up. Comment `infrastate plan`');
    expect(repository.dispatches()).toHaveLength(2);
    await repository.comment(number, 'infrastate plan');
    await planResults(repository, 2);
    await repository.comment(number, 'infrastate apply');
    const apply = await begun(repository, 3);
    expect(await apply.readPlan()).toBe('the plan');
    expect(repository.dispatches()).toHaveLength(4);
  });

  it('applies no plan and no commit that came after the comment was written', async () => {
    const repository = await aRepository();
    repository.setRole('author', 'admin');
    const number = await planned(repository);
    const ago = (minutes: number) => ({ writtenAt: new Date(Date.now() - minutes * 60_000) });
    const repliesWith = async (text: string, count: number) => {
      await service.eventually(
        `${count} replies with ${text}`,
        () => repository.comments().filter((each) => each.includes(text)).length === count,
      );
      expect(await rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1')).toEqual([]);
    };
    // It was on its way for a minute, and the plan came meanwhile.
    await repository.comment(number, 'infrastate apply', { id: 930_001, ...ago(1) });
    await repository.comment(number, 'infrastate apply', { id: 930_001, ...ago(1) });
    await repliesWith('a newer plan of `a` (`default`) has appeared', 1);
    // Without the comment on the plan the clocks are compared, as far as they can differ.
    await rowsOf(repository, 'UPDATE work_manifests SET comment_at = NULL WHERE repository_id = $1');
    await repository.comment(number, 'infrastate apply-force', ago(10));
    await repliesWith('has appeared', 2);

    // A commit that nobody had seen is neither planned nor applied for them.
    await repository.comment(number, 'infrastate apply-autoapprove', ago(10));
    await repliesWith('has a newer commit than this comment', 1);
    repository.commit('topic', { 'a/main.tf': '# slipped in' });
    await repository.comment(number, 'infrastate apply-autoapprove');
    await repliesWith('has a newer commit than this comment', 2);
    expect(repository.dispatches()).toHaveLength(1);

    await repository.announce(number, 'updated');
    await planResults(repository, 1);
    await repository.comment(number, 'infrastate apply');
    await begun(repository, 2);
    expect(repository.dispatches()).toHaveLength(3);
  });

  it('unlocks nothing for who wrote before the apply was given up', async () => {
    const repository = await aRepository();
    const number = await planned(repository);
    await repository.comment(number, 'infrastate apply');
    const { inputs, runId } = await service.dispatch(repository, 1);
    await new PlayedRunner(service, inputs['work_token'] ?? '').initiate();
    await rowsOf(
      repository,
      `UPDATE work_manifests SET run_id = '${runId}' WHERE repository_id = $1 AND state = 'running'`,
    );
    await repository.jobFailed(runId);
    await commentWith(repository, 'JOB_FAILED');
    await repository.comment(number, 'infrastate unlock', { writtenAt: new Date(Date.now() - 600_000) });
    await commentWith(repository, 'was given up after this comment was written');
    const holds = () => rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1');
    expect(await holds()).toHaveLength(1);
    await repository.comment(number, 'infrastate unlock', { id: 940_001 });
    await commentWith(repository, 'Unlocked: 1');
    expect(await holds()).toEqual([]);

    // An unlock that is worked on again undoes nothing of what came after it, and its reply stands.
    await service.pool.query(
      `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number) VALUES ($1, 'a', 'default', $2)`,
      [await service.repositoryId(repository), number],
    );
    await rowsOf(repository, 'UPDATE comment_commands SET answered_at = NULL WHERE repository_id = $1');
    const before = repository.comments();
    await repository.comment(number, 'infrastate unlock', { id: 940_001 });
    expect(repository.comments()).toEqual(before);
    expect(await holds()).toHaveLength(1);
    expect(
      await rowsOf(
        repository,
        `SELECT 1 FROM comment_commands WHERE repository_id = $1 AND comment_id = '940001' AND answered_at IS NOT NULL`,
      ),
    ).toHaveLength(1);
  });

  it('gives a run up that no machine of its pool will ever take', async () => {
    const repository = await aRepository('run: {on: pool, pool: nobody}\n');
    await repository.open('topic', { 'a/main.tf': '#' });
    const since = async (interval: string) =>
      rowsOf(
        repository,
        `UPDATE work_manifests SET created_at = now() - interval '${interval}' WHERE repository_id = $1`,
      );
    await since('30 minutes');
    expect(await runsOf(repository)).toEqual([{ run_type: 'plan', state: 'queued', error_id: null }]);
    await since('2 hours');
    await commentWith(repository, 'RUN_NOT_STARTED');
    await statusIs(repository, 'infrastate plan', 'failure');
  });

  it('keeps pull requests out of what is being reconciled, until it has ended or somebody has looked', async () => {
    const repository = await aRepository(
      'drift: {enabled: true, schedules: {all: {schedule: hourly, reconcile: true}}}\n',
    );
    const number = await planned(repository);
    const holds = () =>
      rowsOf<{ pull_number: number | null }>(
        repository,
        'SELECT pull_number FROM dirspace_holds WHERE repository_id = $1',
      );
    const reconcile = async (n: number) => {
      await rowsOf(repository, `UPDATE drift_schedules SET next_at = now() WHERE repository_id = $1`);
      await repository.pushed();
      return service.dispatch(repository, n);
    };
    const apply = async (text: string) => {
      await repository.comment(number, 'infrastate apply');
      await commentWith(repository, text);
    };
    // One that has begun is waited for.
    await reconcile(1);
    expect(await holds()).toEqual([{ pull_number: null }]);
    const first = await begun(repository, 1);
    await apply('drift of `a` (`default`) is being reconciled');
    expect(repository.dispatches()).toHaveLength(2);
    await first.results({ has_changes: true });
    expect(await holds()).toEqual([]);
    await apply('a run has reconciled drift');

    // One that was given up may still be at work.
    await reconcile(2);
    await begun(repository, 2);
    await rowsOf(
      repository,
      `UPDATE work_manifests SET heartbeat_at = now() - interval '5 minutes' WHERE repository_id = $1 AND state = 'running'`,
    );
    await service.eventually(
      'its end',
      async () => (await runsOf(repository)).at(-1)?.error_id === 'RUN_LOST',
    );
    expect(await holds()).toEqual([{ pull_number: null }]);
    await repository.comment(number, 'infrastate plan');
    await planResults(repository, 3);
    await apply('was given up (`RUN_LOST`) and may still be running');
    await repository.comment(number, 'infrastate unlock');
    await commentWith(repository, 'Unlocked: 1');

    // One that has not begun gives way.
    const { inputs, ref } = await reconcile(4);
    expect(ref).toBe('main');
    expect(await holds()).toEqual([{ pull_number: null }]);
    await repository.comment(number, 'infrastate apply');
    await begun(repository, 5);
    expect(await holds()).toEqual([{ pull_number: number }]);
    await expect(new PlayedRunner(service, inputs['work_token'] ?? '').initiate()).rejects.toThrow(
      'RUN_ENDED',
    );
    expect(repository.dispatches()).toHaveLength(6);
  });

  it('reconciles nothing that a pull request began to apply meanwhile', async () => {
    const repository = await aRepository(
      'run: {on: pool, pool: nobody}\ndrift: {enabled: true, schedules: {all: {schedule: hourly, reconcile: true}}}\n',
    );
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await repository.pushed();
    const drift = () =>
      rowsOf<{ state: string; error_id: string | null }>(
        repository,
        `SELECT state, error_id FROM work_manifests WHERE repository_id = $1 AND kind = 'drift'`,
      );
    await service.eventually('the run', async () => (await drift()).length === 1);
    await service.pool.query(
      `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number) VALUES ($1, 'a', 'default', $2)`,
      [await service.repositoryId(repository), number],
    );
    await service.eventually('its end', async () => (await drift())[0]?.error_id === 'SUPERSEDED');
    expect(repository.dispatches()).toEqual([]);
  });

  it('says once at a merge what nobody applied and what failed', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#', 'b/main.tf': '#' });
    const inBoth = (fields: object) => [
      { dir: 'a', workspace: 'default', ...fields },
      { dir: 'b', workspace: 'default', ...fields },
    ];
    const plan = await begun(repository, 0);
    await plan.plan('the plan');
    const dirspaces = inBoth({ success: true, has_changes: true });
    await plan.send('POST', 'results', { success: true, dirspaces });
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate apply dir:a');
    const apply = await begun(repository, 1);
    await apply.results({ success: false }, { success: false });
    await commentWith(repository, 'Apply failed');
    await repository.merge(number);
    const text = await commentWith(repository, 'Merged before everything was applied');
    const [unapplied = '', failed = ''] = text.split('**Apply failed**');
    expect([unapplied.includes('`b`'), unapplied.includes('`a`')]).toEqual([true, false]);
    expect([failed.includes('`a`'), failed.includes('`b`')]).toEqual([true, false]);
    await repository.announce(number, 'updated');
    expect(repository.comments().filter((each) => each.includes('Merged before'))).toHaveLength(1);
  });

  it('ends a run that takes longer than its configuration allows, though its runner speaks', async () => {
    const begin = async (config: string) => {
      const repository = await aRepository(config);
      await repository.open('topic', { 'a/main.tf': '#' });
      return { repository, runner: await begun(repository, 0) };
    };
    // The default is an hour.
    const [usual, short] = [await begin(''), await begin('run: {timeout_minutes: 5}\n')];
    for (const { repository } of [usual, short])
      await rowsOf(
        repository,
        `UPDATE work_manifests SET started_at = now() - interval '11 minutes', heartbeat_at = now() WHERE repository_id = $1`,
      );
    await commentWith(short.repository, 'RUN_TIME_LIMIT');
    await statusIs(short.repository, 'infrastate plan', 'failure');
    await expect(short.runner.send('POST', 'heartbeat', {})).rejects.toThrow('RUN_ENDED');
    // One look ends both or one of them.
    await usual.runner.send('POST', 'heartbeat', {});
    await usual.runner.results();
  });

  async function unlink(repository: HostedRepository): Promise<void> {
    const [row] = await rowsOf<{ id: string }>(
      repository,
      'SELECT installation_id AS id FROM repositories WHERE id = $1',
    );
    const { admin, api } = service;
    const path = `/tenants/${admin.tenantId}/vcs-installations/github/${row?.id ?? ''}`;
    await must(api, 'DELETE', path, { as: admin.token });
  }

  /** The next request that matches waits at the provider until it is released. */
  function holdAtProvider(matches: RegExp): { isThere: () => boolean; release: () => void } {
    const { github } = service.hosting;
    const before = github.requests(matches).length;
    let release = (): void => undefined;
    github.fail({ matches, until: new Promise<void>((done) => (release = done)) });
    return { isThere: () => github.requests(matches).length > before, release: () => release() };
  }

  it('dispatches once, ends and cancels a run whose installation is unlinked while the request is under way', async () => {
    const repository = await service.repository({ 'a/main.tf': '' }, { owner: 'unlinked-meanwhile' });
    if (!(repository instanceof HostedGithubRepository)) throw new Error('another host');
    const request = holdAtProvider(new RegExp(`POST .*/${repository.name}/.*/dispatches`));
    await repository.open('topic', { 'a/main.tf': '#' });
    await service.eventually('the request', request.isThere);
    await unlink(repository);
    expect(await runsOf(repository)).toEqual([{ run_type: 'plan', state: 'aborted', error_id: 'UNLINKED' }]);
    request.release();
    await service.eventually(
      'the end of the CI run',
      () => repository.repository.runs[0]?.conclusion === 'cancelled',
    );
    const [dispatch] = repository.dispatches();
    const late = new PlayedRunner(service, dispatch?.inputs['work_token'] ?? '');
    await expect(late.initiate()).rejects.toThrow(/RUN_ENDED|answered 401/);
    // Whatever looks for lost dispatches has nothing to send again. It ends a run that an older version left waiting.
    await rowsOf(
      repository,
      `UPDATE work_manifests SET dispatched_at = dispatched_at - interval '2 minutes' WHERE repository_id = $1`,
    );
    const [place] = await rowsOf<{ id: string }>(
      repository,
      'SELECT installation_id AS id FROM repositories WHERE id = $1',
    );
    const waiting = await aRun(
      service.pool,
      {
        installation: place?.id ?? '',
        installationId: '',
        provider: 'github',
        repository: await service.repositoryId(repository),
        repoId: String(repository.repository.id),
        name: repository.name,
      },
      { kind: 'drift', state: 'queued', isWaiting: true },
    );
    await service.eventually('its end', async () => {
      const { rows } = await service.pool.query(
        'SELECT FROM work_manifests WHERE id = $1 AND error_id = $2',
        [waiting, 'UNLINKED'],
      );
      return rows.length === 1;
    });
    expect(repository.dispatches()).toHaveLength(1);
    expect(
      await rowsOf(
        repository,
        `SELECT m.state, m.dispatch_state, (SELECT count(*)::int FROM running_dirspaces r WHERE r.work_manifest_id = m.id) AS held
           FROM work_manifests m WHERE repository_id = $1 ORDER BY created_at`,
      ),
    ).toEqual([
      { state: 'aborted', dispatch_state: 'sent', held: 0 },
      { state: 'aborted', dispatch_state: null, held: 0 },
    ]);
  });

  it('begins nothing for an installation that is unlinked while a change is looked at', async () => {
    const repository = await service.repository({ 'a/main.tf': '' }, { owner: 'unlinked-before' });
    const request = holdAtProvider(new RegExp(`/${repository.name}/pulls/1/files`));
    const opened = repository.open('topic', { 'a/main.tf': '#' });
    await service.eventually('the request', request.isThere);
    await unlink(repository);
    request.release();
    await opened;
    expect(await runsOf(repository)).toEqual([]);
    expect(repository.dispatches()).toEqual([]);
  });

  it('ends what was dispatched and not begun when its installation is unlinked', async () => {
    const repository = await service.repository({ 'a/main.tf': '' }, { owner: 'unlinked' });
    await repository.open('topic', { 'a/main.tf': '#' });
    const { inputs } = await service.dispatch(repository, 0);
    await unlink(repository);
    await service.eventually(
      'the end of the run',
      async () => (await runsOf(repository))[0]?.error_id === 'UNLINKED',
    );
    const late = new PlayedRunner(service, inputs['work_token'] ?? '');
    await expect(late.initiate()).rejects.toThrow(/RUN_ENDED|answered 401/);
    expect(repository.comments()).toEqual([]);
  });
});
