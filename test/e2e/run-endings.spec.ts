import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allProcessed } from '../support/code-hosting.js';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedGithubRepository } from '../support/hosted/github-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';
import { call, must } from '../support/identity.js';

interface StoredRun {
  state: string;
  error_id: string | null;
}

describe('How a run ends', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-endings-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(() => service.hosting.github.healed());

  async function aRepository(
    config = '',
    files: Record<string, string> = { 'a/main.tf': '' },
    owner = 'acme',
  ): Promise<HostedRepository> {
    const repository = await service.repository({ ...files, '.infrastate/config.yml': config }, { owner });
    repository.setRole('author', 'admin');
    return repository;
  }

  const commentWith = (repository: HostedRepository, text: string, number?: number) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments(number).find((each) => each.includes(text)),
    );
  const statusIs = (repository: HostedRepository, context: string, state: string, branch = 'topic') =>
    service.eventually(
      `${context} ${state}`,
      () => repository.statuses(repository.sha(branch))[context]?.state === state,
    );

  async function begun(repository: HostedRepository, n: number): Promise<PlayedRunner> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
    return runner;
  }

  async function planned(repository: HostedRepository, n = 0, branch = 'topic'): Promise<number> {
    const number = await repository.open(branch, { 'a/main.tf': `# ${branch}` });
    const runner = await begun(repository, n);
    await runner.plan(`the plan of ${branch}`);
    await runner.results({ has_changes: true });
    await commentWith(repository, 'Plan succeeded', number);
    return number;
  }

  async function rowsOf<Row extends object>(repository: HostedRepository, sql: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(sql, [await service.repositoryId(repository)]);
    return rows;
  }
  const runsOf = (repository: HostedRepository) =>
    rowsOf<StoredRun>(
      repository,
      'SELECT state, error_id FROM work_manifests WHERE repository_id = $1 ORDER BY created_at',
    );
  const holdsOf = (repository: HostedRepository) =>
    rowsOf<{ pull_number: number }>(
      repository,
      'SELECT pull_number FROM dirspace_holds WHERE repository_id = $1',
    );
  /** As if a run were older than it is. */
  const age = (repository: HostedRepository, column: string, interval: string) =>
    rowsOf(
      repository,
      `UPDATE work_manifests SET ${column} = ${column} - interval '${interval}'
        WHERE repository_id = $1 AND state IN ('queued', 'running')`,
    );

  it('gives up a dispatch that the provider could not take for an hour, and says so once', async () => {
    const repository = await aRepository();
    service.hosting.github.fail({ matches: /POST .*\/dispatches/, status: 503, times: 1000 });
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const asked = () =>
      service.hosting.github.requests(new RegExp(`POST .*/${repository.name}/.*/dispatches`)).length;
    await service.eventually('the first try', () => asked() > 0);
    expect((await runsOf(repository)).map(({ state }) => state)).toEqual(['queued']);
    await age(repository, 'first_dispatched_at', '61 minutes');
    await age(repository, 'dispatched_at', '2 minutes');
    await commentWith(repository, 'DISPATCH_FAILED');
    expect(asked()).toBe(2);
    await statusIs(repository, 'infrastate plan', 'failure');
    expect(await runsOf(repository)).toEqual([{ state: 'aborted', error_id: 'DISPATCH_FAILED' }]);
    expect([repository.dispatches(), repository.comments().length]).toEqual([[], 1]);
    service.hosting.github.healed();
    await repository.comment(number, 'infrastate plan');
    await begun(repository, 0);
    await statusIs(repository, 'infrastate plan', 'pending');
  });

  it('ends an apply whose job never began, says so once, and holds nothing for it', async () => {
    const repository = await aRepository();
    const number = await planned(repository);
    const other = await planned(repository, 1, 'other');
    await repository.comment(number, 'infrastate apply');
    const { inputs } = await service.dispatch(repository, 2);
    await repository.comment(other, 'infrastate apply');
    await commentWith(repository, `held by #${number}`, other);
    await age(repository, 'dispatched_at', '2 hours');
    await commentWith(repository, 'RUN_NOT_STARTED', number);
    await statusIs(repository, 'infrastate apply', 'failure');
    await service.eventually('the end of the hold', async () => (await holdsOf(repository)).length === 0);
    expect(repository.comments(number).filter((text) => text.includes('RUN_NOT_STARTED'))).toHaveLength(1);
    // The job comes late: nothing is applied by it.
    await expect(new PlayedRunner(service, inputs['work_token'] ?? '').initiate()).rejects.toThrow(
      'RUN_ENDED',
    );
    // The plan is still there, and applies without an unlock.
    await repository.comment(number, 'infrastate apply');
    const apply = await begun(repository, 3);
    expect(await apply.readPlan()).toBe('the plan of topic');
    await apply.results();
    await commentWith(repository, 'Apply succeeded', number);
    expect(await holdsOf(repository)).toEqual([{ pull_number: number }]);
  });

  it('reads as aborted what ended without a result, once somebody has unlocked', async () => {
    const repository = await aRepository();
    const number = await planned(repository);
    await repository.comment(number, 'infrastate apply');
    const apply = await begun(repository, 1);
    await apply.send('POST', 'results', { success: false, dirspaces: [] });
    const states = () =>
      rowsOf<{ run_type: string; state: string }>(
        repository,
        'SELECT run_type, state FROM work_manifest_dirspaces WHERE repository_id = $1 ORDER BY created_at',
      );
    expect(await states()).toEqual([
      { run_type: 'plan', state: 'success' },
      { run_type: 'apply', state: 'unknown' },
    ]);
    await repository.comment(number, 'infrastate unlock');
    await commentWith(repository, 'Unlocked: 1');
    expect(await states()).toEqual([
      { run_type: 'plan', state: 'success' },
      { run_type: 'apply', state: 'aborted' },
    ]);
  });

  it.each(['closed', 'merged'] as const)(
    'ends plans and lets applies end when its pull request is %s',
    async (how) => {
      const repository = await aRepository();
      let n = 0;
      const opened = async (branch: string) => {
        const number = await repository.open(branch, { [`a/${branch}.tf`]: '#' });
        const ends = () => (how === 'closed' ? repository.close(number) : repository.merge(number));
        return { number, ends, plan: n++ };
      };
      /** A pull request whose apply has begun. */
      const applying = async (branch: string) => {
        const { number, ends, plan } = await opened(branch);
        const runner = await begun(repository, plan);
        await runner.plan('the plan');
        await runner.results({ has_changes: true });
        await commentWith(repository, 'Plan succeeded', number);
        await repository.comment(number, 'infrastate apply');
        return { number, ends, apply: await begun(repository, n++) };
      };

      const queued = await opened('queued');
      const { inputs } = await service.dispatch(repository, queued.plan);
      await queued.ends();
      await expect(new PlayedRunner(service, inputs['work_token'] ?? '').initiate()).rejects.toThrow(
        'RUN_ENDED',
      );
      const running = await opened('running');
      const runner = await begun(repository, running.plan);
      await running.ends();
      await expect(runner.send('POST', 'heartbeat', {})).rejects.toThrow('RUN_ENDED');
      for (const { number } of [queued, running])
        if (how === 'merged') expect(await commentWith(repository, 'Not planned', number)).toContain('`a`');
        // Whoever closed it knows why.
        else expect(repository.comments(number)).toEqual([]);
      // What happens to it later is no merge: nobody hears of one that was before the link to the tenant.
      await service.pool.query('DELETE FROM comment_commands WHERE repository_id = $1', [
        await service.repositoryId(repository),
      ]);
      const before = repository.comments().length;
      await repository.announce(queued.number, 'updated');
      expect(repository.comments()).toHaveLength(before);

      for (const success of [true, false]) {
        const { number, ends, apply } = await applying(`apply-${success}`);
        await ends();
        await apply.send('POST', 'heartbeat', {});
        await apply.results({ success }, { success });
        const said = success ? 'Apply succeeded' : 'Apply failed';
        await commentWith(repository, said, number);
        await statusIs(repository, 'infrastate apply', success ? 'success' : 'failure', `apply-${success}`);
        expect(repository.comments(number).filter((text) => text.includes(said))).toHaveLength(1);
      }
      expect(await holdsOf(repository)).toEqual([]);
      expect((await runsOf(repository)).map(({ state, error_id }) => error_id ?? state)).toEqual([
        'CANCELLED',
        'CANCELLED',
        'completed',
        'completed',
        'completed',
        'completed',
      ]);
      // What comes after them does not wait for any of it.
      const { number, apply } = await applying('next');
      await apply.results();
      await commentWith(repository, 'Apply succeeded', number);
      expect(await holdsOf(repository)).toEqual([{ pull_number: number }]);
    },
  );

  it('is one run for each environment', async () => {
    const repository = await aRepository(
      'dirs: {a: {environment: live}, b: {environment: test}, c: {environment: test}}\n',
      {},
    );
    const number = await repository.open('topic', { 'a/main.tf': '#', 'b/main.tf': '#', 'c/main.tf': '#' });
    await service.dispatch(repository, 1);
    const dirs: Record<string, string[]> = {};
    for (const { inputs } of repository.dispatches()) {
      const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
      await runner.initiate();
      const stored = await rowsOf<{ dir: string }>(
        repository,
        `SELECT d.dir FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id
          WHERE m.repository_id = $1 AND m.environment = '${inputs['environment'] ?? ''}' ORDER BY d.position`,
      );
      dirs[inputs['environment'] ?? ''] = stored.map(({ dir }) => dir);
      const dirspaces = stored.map(({ dir }) => ({ dir, workspace: 'default', success: true }));
      await runner.send('POST', 'results', {
        success: true,
        dirspaces: dirspaces.map((each) => ({ ...each, has_changes: true })),
      });
    }
    expect(dirs).toEqual({ live: ['a'], test: ['b', 'c'] });
    await statusIs(repository, 'infrastate plan', 'success');
    await service.eventually('both comments', () => repository.comments(number).length === 2);
    expect(repository.dispatches()).toHaveLength(2);
  });

  it('fails a plan whose head does not merge with the base, and names the files', async () => {
    const repository = await aRepository();
    repository.commit('topic', { 'a/main.tf': '# mine\n' });
    repository.commit('main', { 'a/main.tf': '# theirs\n' });
    await repository.open('topic', { 'a/more.tf': '#' });
    expect((await service.ciJob(repository, 0)).code).toBe(1);
    expect(await commentWith(repository, 'does not merge with main')).toContain('a/main.tf');
    await statusIs(repository, 'infrastate plan', 'failure');
  });

  it('refuses a runner of another protocol before it takes a run', async () => {
    const pool = await must<{ token: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/runner-pools`,
      { as: service.admin.token, body: { name: 'older' } },
    );
    const repository = await aRepository('run: {on: pool, pool: older}\n');
    await repository.open('topic', { 'a/main.tf': '#' });
    const claim = (protocol: number) =>
      call(service.api, 'POST', '/runner/claim', {
        as: pool.token,
        body: { wait_seconds: 0, runner: { version: '0.0.1', protocol } },
      });
    expect(await claim(0)).toMatchObject({ status: 400, body: { id: 'RUNNER_TOO_OLD' } });
    expect(
      await rowsOf(
        repository,
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND dispatch_state IS NULL`,
      ),
    ).toHaveLength(1);
    expect((await claim(1)).status).toBe(200);
  });

  it.each(['repository', 'installation', 'link', 'tenant'] as const)(
    'ends when its %s is gone, tells its runner so, and keeps nobody else from running',
    async (gone) => {
      const owner = `gone-${gone}`;
      const repository = await aRepository('', undefined, owner);
      if (!(repository instanceof HostedGithubRepository)) throw new Error('another host');
      await repository.open('topic', { 'a/main.tf': '#' });
      const runner = await begun(repository, 0);
      const { github, api } = service.hosting;
      const installation = github.installations.find(({ account }) => account === owner);
      const payload = github.payloadOf(repository.repository);
      if (gone === 'repository') {
        github.repositories.splice(github.repositories.indexOf(repository.repository), 1);
        const repositories_removed = [{ id: repository.repository.id }];
        await github.deliver(api, 'installation_repositories', {
          ...payload,
          action: 'removed',
          repositories_removed,
        });
      } else if (gone === 'installation') {
        if (installation) installation.isGone = true;
        await github.deliver(api, 'installation', {
          action: 'deleted',
          installation: { id: installation?.id },
        });
      } else if (gone === 'tenant') {
        // As its foreign key does it.
        await service.pool.query('UPDATE installations SET tenant_id = NULL WHERE name = $1', [owner]);
      } else {
        const [row] = await rowsOf<{ id: string }>(
          repository,
          'SELECT installation_id AS id FROM repositories WHERE id = $1',
        );
        await must(
          service.api,
          'DELETE',
          `/tenants/${service.admin.tenantId}/vcs-installations/github/${row?.id ?? ''}`,
          {
            as: service.admin.token,
          },
        );
      }
      await allProcessed(api);
      if (gone === 'repository') {
        await expect(runner.send('POST', 'heartbeat', {})).rejects.toThrow('401');
        expect(await service.repositoryId(repository)).toBe('');
      } else {
        await runner.results({ has_changes: true });
        await service.eventually('the end', async () => {
          const rows = await rowsOf(
            repository,
            `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND state IN ('completed', 'aborted')`,
          );
          return rows.length === 1;
        });
      }
      const { rows } = await service.pool.query(
        `SELECT 1 FROM running_dirspaces r LEFT JOIN repositories p ON p.id = r.repository_id
          WHERE p.id IS NULL OR p.owner = $1`,
        [owner],
      );
      expect(rows).toEqual([]);
    },
  );
});
