import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostedGithubRepository } from '../support/hosted/github-repository.js';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';

describe('Plan files', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-plan-files-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(
    config = '',
    provider: 'github' | 'gitlab' = 'github',
  ): Promise<HostedRepository> {
    const files = { 'a/main.tf': '', 'b/main.tf': '', '.infrastate/config.yml': config };
    const repository = await service.repository(files, { provider });
    repository.setRole('author', 'admin');
    return repository;
  }

  const commentsWith = (repository: HostedRepository, text: string) =>
    repository.comments().filter((each) => each.includes(text)).length;
  const said = (repository: HostedRepository, text: string, times = 1) =>
    service.eventually(`${times} comments with ${text}`, () => commentsWith(repository, text) >= times);

  async function begun(repository: HostedRepository, n: number): Promise<PlayedRunner> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
    return runner;
  }

  /** Plays dispatch `n`, a plan of the directories: each has a plan file. */
  async function plan(repository: HostedRepository, n: number, dirs: readonly string[]): Promise<void> {
    const runner = await begun(repository, n);
    for (const [position, dir] of dirs.entries()) await runner.plan(`plan ${n} of ${dir}`, position);
    await runner.succeedIn(dirs);
    await settled(repository);
  }

  async function planned(repository: HostedRepository, dirs: readonly string[]): Promise<number> {
    const files = Object.fromEntries(dirs.map((dir) => [`${dir}/main.tf`, '# topic']));
    const number = await repository.open('topic', files);
    await plan(repository, 0, dirs);
    return number;
  }

  /** Until everything is said of what has ended. */
  const settled = (repository: HostedRepository) =>
    service.eventually('every report', async () => {
      const { rowCount } = await service.pool.query(
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND state IN ('completed', 'aborted') AND reported_at IS NULL`,
        [await service.repositoryId(repository)],
      );
      return rowCount === 0;
    });

  /** Plan files that are stored, by the type of their run. */
  async function filesOf(repository: HostedRepository): Promise<string[]> {
    const { rows } = await service.pool.query<{ name: string }>(
      `SELECT DISTINCT m.run_type || ' ' || d.dir AS name FROM plan_file_parts p
         JOIN work_manifests m ON m.id = p.work_manifest_id
         JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id AND d.position = p.position
        WHERE m.repository_id = $1 ORDER BY 1`,
      [await service.repositoryId(repository)],
    );
    return rows.map(({ name }) => name);
  }

  async function partsOf(repository: HostedRepository): Promise<number | null> {
    const { rowCount } = await service.pool.query(
      'SELECT 1 FROM plan_file_parts p JOIN work_manifests m ON m.id = p.work_manifest_id WHERE m.repository_id = $1',
      [await service.repositoryId(repository)],
    );
    return rowCount;
  }

  it('stay for directories that are applied later', async () => {
    const repository = await aRepository();
    const number = await planned(repository, ['a', 'b']);
    await repository.comment(number, 'infrastate apply dir:a');
    const first = await begun(repository, 1);
    expect(await first.readPlan()).toBe('plan 0 of a');
    await first.succeedIn(['a']);
    await said(repository, 'Apply succeeded');

    await repository.comment(number, 'infrastate apply dir:b');
    const second = await begun(repository, 2);
    expect((await second.work()).dirspaces).toMatchObject([{ dir: 'b', has_plan: true }]);
    expect(await second.readPlan()).toBe('plan 0 of b');
    await second.succeedIn(['b']);
    await said(repository, 'Apply succeeded', 2);
  });

  it.each(['github', 'gitlab'] as const)(
    'are made again once a closed pull request is opened again at %s',
    async (provider) => {
      const repository = await aRepository('dirs: {b: {depends_on: [a]}}\n', provider);
      const number = await repository.open('topic', { 'a/main.tf': '#', 'b/main.tf': '#' });
      await plan(repository, 0, ['a']);
      await repository.comment(number, 'infrastate apply');
      await (await begun(repository, 1)).succeedIn(['a']);
      // The next layer, which the end of the pull request takes back.
      await plan(repository, 2, ['b']);
      await repository.close(number);
      expect(await filesOf(repository)).toEqual([]);

      const deliveryId = `reopened-at-${provider}`;
      await repository.reopen(number, { deliveryId });
      await repository.reopen(number, { deliveryId });
      await repository.announce(number, 'updated');
      await repository.comment(number, 'infrastate apply');
      await said(repository, 'Not applied');
      // What was applied is held no longer: others may have taken it back.
      await plan(repository, 3, ['a']);
      await repository.comment(number, 'infrastate apply');
      const first = await begun(repository, 4);
      expect(await first.readPlan()).toBe('plan 3 of a');
      await first.succeedIn(['a']);
      await plan(repository, 5, ['b']);
      await repository.comment(number, 'infrastate apply');
      expect(await (await begun(repository, 6)).readPlan()).toBe('plan 5 of b');
      expect(repository.dispatches()).toHaveLength(7);
    },
  );

  it('are made again for a commit that becomes the head again', async () => {
    const repository = await aRepository();
    const number = await planned(repository, ['a']);
    const first = repository.sha('topic');
    repository.commit('topic', { 'a/main.tf': '##' });
    await repository.announce(number, 'updated');
    await plan(repository, 1, ['a']);
    if (!(repository instanceof HostedGithubRepository)) throw new Error('another host');
    repository.repository.git.git('update-ref', 'refs/heads/topic', first);
    await repository.announce(number, 'updated');
    await repository.announce(number, 'updated');
    await plan(repository, 2, ['a']);
    await settled(repository);
    await repository.comment(number, 'infrastate apply');
    expect(await (await begun(repository, 3)).readPlan()).toBe('plan 2 of a');
    expect(repository.dispatches()).toHaveLength(4);
  });

  it('are kept when an earlier attempt, which is cut, begins while they are stored', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const runner = await begun(repository, 0);
    await runner.plan('the plan before');
    const id = await service.repositoryId(repository);
    const uploads = async () => {
      const { rows } = await service.pool.query<{ id: string }>(
        'SELECT plan_upload_id AS id FROM work_manifest_dirspaces WHERE repository_id = $1',
        [id],
      );
      return rows[0]?.id;
    };
    const waiting = async () => {
      const { rowCount } = await service.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount ?? 0;
    };
    const holder = await service.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(
        'SELECT FROM plan_files f JOIN work_manifests m ON m.id = f.work_manifest_id WHERE m.repository_id = $1 FOR UPDATE OF f',
        [id],
      );
      const stored = runner.plan('the whole plan');
      await service.eventually('the end of the upload', async () => (await waiting()) === 1);
      const before = await uploads();
      const late = runner.beginPlan('the who');
      late.status.catch(() => undefined);
      await service.eventually(
        'the late attempt',
        async () => (await waiting()) === 2 || (await uploads()) !== before,
      );
      await holder.query('COMMIT');
      await stored;
      await service.eventually('the late attempt to begin', async () => (await uploads()) !== before);
      late.cut();
    } finally {
      holder.release();
    }
    await runner.succeedIn(['a']);
    await settled(repository);
    await repository.comment(number, 'infrastate apply');
    expect(await (await begun(repository, 1)).readPlan()).toBe('the whole plan');
  });

  it('go when they are applied, replaced or closed, and not before an apply has read them', async () => {
    const repository = await aRepository();
    const number = await planned(repository, ['a', 'b']);
    expect(await filesOf(repository)).toEqual(['plan a', 'plan b']);
    await repository.comment(number, 'infrastate apply dir:a');
    const apply = await begun(repository, 1);
    expect(await apply.readPlan()).toBe('plan 0 of a');
    // A newer commit replaces the plans, but the one that an apply may ask for again.
    await repository.push(number, { branch: 'topic', files: { 'b/main.tf': '##' }, username: 'author' });
    expect(await apply.readPlan()).toBe('plan 0 of a');
    await apply.succeedIn(['a']);
    await settled(repository);
    expect(await filesOf(repository)).toEqual([]);

    await plan(repository, 2, ['a', 'b']);
    await repository.comment(number, 'infrastate plan dir:b');
    const again = await begun(repository, 3);
    await again.plan('another plan of b');
    await again.succeedIn(['b']);
    await settled(repository);
    expect(await filesOf(repository)).toEqual(['plan a', 'plan b']);
    expect(await partsOf(repository)).toBe(2);
    await repository.close(number);
    expect(await filesOf(repository)).toEqual([]);
  });

  it('of what is planned and applied in one run go with the run', async () => {
    const repository = await aRepository();
    const number = await planned(repository, ['a']);
    await repository.comment(number, 'infrastate apply-autoapprove');
    await plan(repository, 1, ['a']);
    expect(await filesOf(repository)).toEqual(['plan a']);
    await repository.close(number);
    expect(await filesOf(repository)).toEqual([]);
  });

  it.each([true, false])('of drift go with the run (reconciled: %s)', async (reconcile) => {
    const config = `drift: {enabled: true, schedules: {all: {schedule: hourly, tag_query: "dir:a", reconcile: ${reconcile}}}}\n`;
    const repository = await aRepository(config);
    await repository.pushed();
    const runner = await begun(repository, 0);
    await runner.plan('the plan of drift');
    expect(await partsOf(repository)).toBe(1);
    await runner.succeedIn(['a']);
    await settled(repository);
    expect(await partsOf(repository)).toBe(0);
  });
});
