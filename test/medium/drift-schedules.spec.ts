import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { RepositoriesFound, vcsErrors } from '../../src/modules/vcs/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aHold, aRepository, aRun, type TestRepository } from '../support/run-records.js';
import { aDriftWorker, Branch } from '../support/drift-worker.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.UTC(2026, 0, 15, 12);

const oneSchedule = (fields: string) => `drift: {enabled: true, schedules: {all: {${fields}}}}\n`;

describe('Drift schedules', () => {
  let database: TestDatabase;
  let source: DataSource;
  let tenantId: string;
  let now: number;
  let enqueue: () => Promise<void>;
  const branches = new Map<string, Branch>();

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    tenantId = randomUUID();
    await database.pool.query(`INSERT INTO tenants (id, name) VALUES ($1, 'drift')`, [tenantId]);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await database.pool.query('DELETE FROM installations');
    branches.clear();
    now = NOON;
    enqueue = async () => undefined;
  });

  const aWorker = () =>
    aDriftWorker({ source, branches, tenantId, now: () => new Date(now), enqueue: () => enqueue() });

  async function linked(files: Record<string, string>, of: { installation?: string } = {}) {
    const at = await aRepository(database.pool, tenantId, of);
    const branch = new Branch();
    branch.files = { 'a/main.tf': '', ...files };
    branches.set(at.repoId, branch);
    return { at, branch };
  }

  /** A linked repository whose schedule `all` is known, and due. */
  async function due(fields = 'schedule: monthly') {
    const made = await linked({ '.infrastate/config.yml': oneSchedule(fields) });
    const { reading } = aWorker();
    await reading.found(new RepositoriesFound(made.at.installation));
    await aWorker().readUnread();
    return made;
  }

  const runsOf = async ({ repository }: TestRepository, runType = 'plan') =>
    (
      await database.pool.query<{ id: string }>(
        'SELECT id FROM work_manifests WHERE repository_id = $1 AND run_type = $2',
        [repository, runType],
      )
    ).rows;

  const scheduleOf = async ({ repository }: TestRepository) =>
    (
      await database.pool.query<{
        next_at: Date;
        problem: string | null;
        retry_at: Date | null;
        schedule: string;
      }>('SELECT schedule, next_at, problem, retry_at FROM drift_schedules WHERE repository_id = $1', [
        repository,
      ])
    ).rows[0];

  it('are not kept from beginning by any number of others that are outside of their window', async () => {
    const other = await aRepository(database.pool, tenantId);
    for (let n = 0; n < 21; n++)
      await database.pool.query(
        `INSERT INTO drift_schedules (repository_id, name, schedule, tag_query, is_reconciling, window_start, window_end, next_at)
         VALUES ($1, $2, 'hourly', '', false, '01:00', '02:00', $3)`,
        [other.repository, `night ${n}`, new Date(NOON - HOUR_MS)],
      );
    const { at } = await due();
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(1);
    expect(await runsOf(other)).toHaveLength(0);
  });

  it.each([
    ['09:00', '17:00', '08:59', false],
    ['09:00', '17:00', '09:00', true],
    ['09:00', '17:00', '17:00', false],
    ['22:00', '04:00', '23:30', true],
    ['22:00', '04:00', '03:59', true],
    ['22:00', '04:00', '12:00', false],
    ['10:00', '10:00', '12:00', true],
  ])('with a window from %s to %s at %s: %s', async (start, end, time, isDue) => {
    now = Date.parse(`2026-01-15T${time}:30Z`);
    const { at } = await due(`schedule: daily, window: {start: "${start}", end: "${end}"}`);
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(isDue ? 1 : 0);
  });

  it('take turns between installations', async () => {
    const crowded = await linked({});
    for (let n = 0; n < 30; n++)
      await database.pool.query(
        `INSERT INTO drift_schedules (repository_id, name, schedule, tag_query, is_reconciling, next_at)
         VALUES ($1, $2, 'hourly', '', false, $3)`,
        [crowded.at.repository, `all ${n}`, new Date(NOON - HOUR_MS)],
      );
    const { at } = await due();
    const taken = await aWorker().store.takeDue(new Date(now));
    expect(taken.map(({ repositoryId }) => repositoryId)).toContain(at.repository);
  });

  it('are tried again with a pause that grows while the provider does not answer, and say so', async () => {
    const { at, branch } = await due();
    branch.failure = vcsErrors.PROVIDER_UNAVAILABLE();
    await aWorker().sweep();
    expect(await scheduleOf(at)).toMatchObject({
      problem: expect.stringContaining('PROVIDER_UNAVAILABLE'),
      retry_at: new Date(NOON + MINUTE_MS),
    });
    expect(await aWorker().store.listProblems(at.installation)).toEqual([
      {
        repository: at.repoId,
        name: 'all',
        problem: expect.stringContaining('PROVIDER_UNAVAILABLE') as string,
      },
    ]);
    const asked = branch.asked;
    await aWorker().sweep();
    expect(branch.asked).toBe(asked);
    // Down for an hour.
    for (; now < NOON + HOUR_MS; now += MINUTE_MS) await aWorker().sweep();
    expect(branch.asked - asked).toBeLessThan(7);
    expect(await runsOf(at)).toHaveLength(0);
    branch.failure = undefined;
    now = NOON + 2 * HOUR_MS + MINUTE_MS;
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(1);
    expect(await scheduleOf(at)).toEqual({
      schedule: 'monthly',
      problem: null,
      retry_at: null,
      next_at: new Date(Date.UTC(2026, 1, 15, 14, 1)),
    });
  });

  it('are taken by another worker when the one that took them was killed', async () => {
    const { at } = await due();
    expect(await aWorker().store.takeDue(new Date(now))).toHaveLength(1);
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(0);
    now += 10 * MINUTE_MS;
    await aWorker().sweep();
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(1);
  });

  it('move on with their run, or not at all', async () => {
    const { at } = await due();
    enqueue = async () => Promise.reject(new Error('killed'));
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(0);
    expect(await scheduleOf(at)).toMatchObject({ next_at: new Date(NOON) });
    enqueue = async () => undefined;
    now += MINUTE_MS;
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(1);
  });

  it('start once, with two workers at once and with one that outlives its lease', async () => {
    const { at, branch } = await due();
    let answer: () => void = () => undefined;
    branch.answers = new Promise<void>((resolve) => (answer = resolve));
    const asked = branch.asked;
    const slow = aWorker().sweep();
    while (branch.asked === asked) await new Promise((resolve) => setTimeout(resolve, 5));
    branch.answers = Promise.resolve();
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(0);
    now += 11 * MINUTE_MS;
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(1);
    answer();
    await slow;
    expect(await runsOf(at)).toHaveLength(1);
    expect(await scheduleOf(at)).toMatchObject({ problem: null, retry_at: null });
  });

  it('wait while the app is suspended or the installation is not linked', async () => {
    const { at } = await due();
    const set = (column: string, value: string | null) =>
      database.pool.query(`UPDATE installations SET ${column} = $2 WHERE id = $1`, [at.installation, value]);
    await set('state', 'suspended');
    await aWorker().sweep();
    await set('state', 'active');
    await set('tenant_id', null);
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(0);
    await set('tenant_id', tenantId);
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(1);
  });

  it('count missed periods once', async () => {
    const { at } = await due('schedule: hourly');
    await aWorker().sweep();
    now = NOON + 50 * HOUR_MS + MINUTE_MS;
    await aWorker().sweep();
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(2);
    expect(await scheduleOf(at)).toMatchObject({ next_at: new Date(now + HOUR_MS) });
  });

  it.each([
    ['deleted', 'drift: {enabled: true}\n'],
    ['disabled', 'drift: {enabled: false, schedules: {all: {schedule: monthly}}}\n'],
    ['switched off with everything', `enabled: false\n${oneSchedule('schedule: monthly')}`],
  ])('start nothing once they are %s, also while they are being started', async (_, text) => {
    const { at, branch } = await due();
    const worker = aWorker();
    const place = await worker.places.of({ installationId: at.installation, repositoryId: at.repository });
    // What the branch says now counts, even before the push was worked on.
    branch.files = { ...branch.files, '.infrastate/config.yml': text };
    await worker.sweep();
    expect(await runsOf(at)).toHaveLength(0);
    // A worker has read the branch before, and the push comes in between.
    branch.files = {
      ...branch.files,
      '.infrastate/config.yml': oneSchedule('schedule: monthly, tag_query: a'),
    };
    if (!place) throw new Error('not linked');
    const push = { ...place, deliveryId: '1', receivedAt: new Date(now), branch: 'main', sha: branch.sha };
    await worker.reading.pushed(push);
    const [taken] = await worker.store.takeDue(new Date(now));
    branch.files = { ...branch.files, '.infrastate/config.yml': text };
    await worker.reading.pushed({ ...push, sha: branch.sha });
    expect(taken && (await worker.store.moveOn(taken, new Date(now)))).toBe(false);
    expect(await scheduleOf(at)).toBeUndefined();
    await worker.sweep();
    expect(await runsOf(at)).toHaveLength(0);
  });

  describe('that a branch changes without a push that is told of', () => {
    const fieldsOf = async ({ repository }: TestRepository) =>
      (
        await database.pool.query<{ run_type: string; applies_plan: boolean; tag_query: string }>(
          'SELECT run_type, applies_plan, tag_query FROM work_manifests WHERE repository_id = $1',
          [repository],
        )
      ).rows;
    const change = (branch: Branch, fields: string) =>
      (branch.files = {
        ...branch.files,
        'b/main.tf': '',
        '.infrastate/config.yml': oneSchedule(fields),
      });
    const reconciling = 'schedule: monthly, reconcile: true';
    const look = [{ run_type: 'plan', applies_plan: false, tag_query: 'dir:a' }];

    it.each(['sweep', 'start'] as const)('count as it has them: %s', async (how) => {
      const { at, branch } = await due(reconciling);
      change(branch, 'schedule: monthly, tag_query: "dir:a"');
      await aWorker()[how](at);
      expect(await fieldsOf(at)).toEqual(look);
      const { rows } = await database.pool.query(
        'SELECT is_reconciling, tag_query FROM drift_schedules WHERE repository_id = $1',
        [at.repository],
      );
      expect(rows).toEqual([{ is_reconciling: false, tag_query: 'dir:a' }]);
    });

    it('wait for their new window, which a start by hand does not', async () => {
      const { at, branch } = await due();
      change(branch, 'schedule: monthly, tag_query: "dir:a", window: {start: "01:00", end: "02:00"}');
      await aWorker().sweep();
      expect(await fieldsOf(at)).toEqual([]);
      await aWorker().start(at);
      expect(await fieldsOf(at)).toEqual(look);
    });

    it('are not found any more by whoever starts them once they are gone', async () => {
      const { at, branch } = await due(reconciling);
      branch.files = { ...branch.files, '.infrastate/config.yml': 'drift: {enabled: true}\n' };
      await expect(aWorker().start(at)).rejects.toMatchObject({ id: 'DRIFT_SCHEDULE_NOT_FOUND' });
      expect([await fieldsOf(at), await scheduleOf(at)]).toEqual([[], undefined]);
    });

    it('start nothing as an older read has them that a newer one overtook', async () => {
      const { at, branch } = await due('schedule: monthly, tag_query: "dir:a"');
      let answer: () => void = () => undefined;
      branch.answers = new Promise<void>((resolve) => (answer = resolve));
      const files = branch.files;
      change(branch, reconciling);
      const asked = branch.asked;
      const slow = aWorker().sweep();
      while (branch.asked === asked) await new Promise((resolve) => setTimeout(resolve, 5));
      // Switched back, and that is stored before the slow one has its answer.
      branch.answers = Promise.resolve();
      const switched = branch.files;
      branch.files = files;
      now += MINUTE_MS;
      await aWorker().reading.found(new RepositoriesFound(at.installation));
      await aWorker().readUnread();
      branch.files = switched;
      branch.onceRead = () => (branch.files = files);
      answer();
      await slow;
      expect(await fieldsOf(at)).toEqual(look);
    });
  });

  it('do not start when a replica that knows no leases moved them on meanwhile, unless they were asked for', async () => {
    const { at } = await due();
    const { store } = aWorker();
    const take = async () => {
      const [taken] = await store.takeDue(new Date(now));
      if (!taken) throw new Error('not due');
      await database.pool.query('UPDATE drift_schedules SET next_at = $2 WHERE repository_id = $1', [
        at.repository,
        new Date(now + HOUR_MS),
      ]);
      return taken;
    };
    expect(await store.moveOn(await take(), new Date(now))).toBe(false);
    await store.ask({ repositoryId: at.repository, name: 'all' }, new Date(now));
    now += 2 * MINUTE_MS;
    expect(await store.moveOn(await take(), new Date(now))).toBe(true);
  });

  it.each(['schedule: monthly', 'schedule: monthly, reconcile: true'])(
    'look again soon when their run gave way, and do not say that they looked: %s',
    async (fields) => {
      const { at } = await due(fields);
      const lastAt = async () =>
        (
          await database.pool.query<{ last_at: Date | null }>(
            'SELECT last_at FROM drift_schedules WHERE repository_id = $1',
            [at.repository],
          )
        ).rows[0]?.last_at;
      const { waiting, sweep } = aWorker();
      await sweep();
      expect(await lastAt()).toEqual(new Date(NOON));
      now += MINUTE_MS;
      await waiting.endIn(at.repository, [{ dir: 'other', workspace: 'default' }]);
      expect(await lastAt()).toEqual(new Date(NOON));
      await waiting.endIn(at.repository, [{ dir: 'a', workspace: 'default' }]);
      expect([await lastAt(), (await scheduleOf(at))?.next_at]).toEqual([
        null,
        new Date(now + 15 * MINUTE_MS),
      ]);
      const count = async () => {
        await aWorker().sweep();
        const { rows } = await database.pool.query('SELECT FROM work_manifests WHERE repository_id = $1', [
          at.repository,
        ]);
        return rows.length;
      };
      expect(await count()).toBe(1);
      now += 15 * MINUTE_MS;
      expect(await count()).toBe(2);
      expect(await lastAt()).toEqual(new Date(now));
      expect((await scheduleOf(at))?.next_at.getTime()).toBeGreaterThan(now + HOUR_MS);
    },
  );

  it('are read once their installation is linked or its repositories are found, without a push', async () => {
    const { at } = await linked({ '.infrastate/config.yml': oneSchedule('schedule: daily') });
    const worker = aWorker();
    await worker.readUnread();
    expect(await scheduleOf(at)).toBeUndefined();
    await worker.reading.found(new RepositoriesFound(at.installation, ['another']));
    await worker.readUnread();
    expect(await scheduleOf(at)).toBeUndefined();
    await worker.reading.found(new RepositoriesFound(at.installation, [at.repoId]));
    await worker.readUnread();
    expect(await scheduleOf(at)).toMatchObject({ schedule: 'daily', next_at: new Date(NOON) });
    await worker.sweep();
    expect(await runsOf(at)).toHaveLength(1);
  });

  it('of an installation with many repositories are read 20 at a time, and keep no other one waiting', async () => {
    const { at } = await linked({});
    const many = Array.from({ length: 24 }, () => linked({}, { installation: at.installation }));
    const all = await Promise.all(many);
    const other = await linked({});
    const worker = aWorker();
    for (const { installation } of [at, other.at])
      await worker.reading.found(new RepositoriesFound(installation));
    const countRead = async (of: TestRepository[]) =>
      (
        await database.pool.query(
          'SELECT FROM drift_branches WHERE repository_id = ANY ($1) AND read_at IS NOT NULL',
          [of.map(({ repository }) => repository)],
        )
      ).rowCount;
    const crowd = [at, ...all.map((each) => each.at)];
    await worker.readUnread();
    expect([await countRead(crowd), await countRead([other.at])]).toEqual([20, 1]);
    await worker.readUnread();
    expect(await countRead(crowd)).toBe(25);
  });

  it('stay as they were while the branch cannot be read, and are read again', async () => {
    const { at, branch } = await due();
    const worker = aWorker();
    const problemOf = async () =>
      (
        await database.pool.query<{ problem: string | null }>(
          'SELECT problem FROM drift_branches WHERE repository_id = $1',
          [at.repository],
        )
      ).rows[0]?.problem;
    branch.files = { ...branch.files, '.infrastate/config.yml': oneSchedule('schedule: hourly') };
    const broken: [string, () => void, () => void][] = [
      ['does not list all files', () => (branch.isTruncated = true), () => (branch.isTruncated = false)],
      ['was not found', () => branches.delete(at.repoId), () => branches.set(at.repoId, branch)],
      [
        'PROVIDER_UNAVAILABLE',
        () => (branch.failure = vcsErrors.PROVIDER_UNAVAILABLE()),
        () => (branch.failure = undefined),
      ],
    ];
    for (const [problem, breakIt, mendIt] of broken) {
      breakIt();
      await worker.reading.found(new RepositoriesFound(at.installation));
      await worker.readUnread();
      expect([await problemOf(), (await scheduleOf(at))?.schedule]).toEqual([
        expect.stringContaining(problem),
        'monthly',
      ]);
      mendIt();
    }
    await worker.readUnread();
    expect((await scheduleOf(at))?.schedule).toBe('monthly');
    now += MINUTE_MS;
    await worker.readUnread();
    expect([await problemOf(), (await scheduleOf(at))?.schedule]).toEqual([null, 'hourly']);
    // A day later what no push told of is found.
    branch.files = { ...branch.files, '.infrastate/config.yml': oneSchedule('schedule: weekly') };
    now += 24 * HOUR_MS;
    await worker.readUnread();
    expect((await scheduleOf(at))?.schedule).toBe('weekly');
  });

  it('are those of the newest read, in whatever order reads end', async () => {
    const { at, branch } = await due();
    let answer: () => void = () => undefined;
    branch.answers = new Promise<void>((resolve) => (answer = resolve));
    await aWorker().reading.found(new RepositoriesFound(at.installation));
    const asked = branch.asked;
    const slow = aWorker().readUnread();
    while (branch.asked === asked) await new Promise((resolve) => setTimeout(resolve, 5));
    branch.answers = Promise.resolve();
    now += MINUTE_MS;
    const before = branch.files;
    branch.files = { ...before, '.infrastate/config.yml': oneSchedule('schedule: weekly') };
    await aWorker().reading.found(new RepositoriesFound(at.installation));
    await aWorker().readUnread();
    branch.files = before;
    answer();
    await slow;
    expect((await scheduleOf(at))?.schedule).toBe('weekly');
  });

  describe('of a repository with a configuration builder', () => {
    const builtOf = ({ repository }: TestRepository, sha: string, content: string) =>
      ({ repositoryId: repository, sha, baseBranch: 'main', kind: 'build-config', content }) as const;
    const built = async (fields = 'schedule: daily') =>
      linked({
        'b/main.tf': '',
        '.infrastate/config.yml': `config_builder: {enabled: true, cmd: [sh, build.sh]}\n${oneSchedule(fields)}`,
      });

    async function sweep(): Promise<void> {
      await aWorker().sweep();
    }

    it('wait for the run that builds it for the commit, and count as it says', async () => {
      const { at, branch } = await built();
      await aWorker().reading.found(new RepositoriesFound(at.installation));
      await aWorker().readUnread();
      await sweep();
      now += MINUTE_MS;
      await sweep();
      const { rows: builds } = await database.pool.query(
        `SELECT id, kind, pull_number, branch_ref, spec -> 'command' AS command FROM work_manifests
          WHERE repository_id = $1 AND run_type = 'build-config'`,
        [at.repository],
      );
      const [build] = builds as { id: string }[];
      expect(builds).toEqual([
        {
          id: build?.id,
          kind: 'index',
          pull_number: null,
          branch_ref: branch.sha,
          command: ['sh', 'build.sh'],
        },
      ]);
      expect(await scheduleOf(at)).toMatchObject({ problem: `waits for the run ${build?.id}` });
      expect(await runsOf(at)).toHaveLength(0);

      const { artifacts } = aWorker();
      const content = 'dirs: {b: {enabled: false}}\n';
      await artifacts.keep(builtOf(at, branch.sha, content));
      now += MINUTE_MS;
      await sweep();
      const { rows } = await database.pool.query(
        `SELECT d.dir FROM work_manifest_dirspaces d WHERE d.repository_id = $1`,
        [at.repository],
      );
      expect(rows).toEqual([{ dir: 'a' }]);
      expect(await scheduleOf(at)).toMatchObject({ problem: null });
    });

    it('wait for the run of an older commit, however many are pushed meanwhile', async () => {
      const { at, branch } = await built();
      await aWorker().reading.found(new RepositoriesFound(at.installation));
      await aWorker().readUnread();
      for (let n = 0; n < 3; n++) {
        await sweep();
        branch.files = { ...branch.files, 'a/main.tf': `# ${n}` };
        now += MINUTE_MS;
      }
      expect(await runsOf(at, 'build-config')).toHaveLength(1);
    });

    it('look at the commit that was built while others were pushed, apply nothing there, and leave out what was merged', async () => {
      const { at, branch } = await built('schedule: daily, reconcile: true');
      await aWorker().reading.found(new RepositoriesFound(at.installation));
      await aWorker().readUnread();
      await sweep();
      const { sha } = branch;
      await database.pool.query('UPDATE pull_requests SET updated_at = $2 WHERE repository_id = $1', [
        at.repository,
        new Date(now - HOUR_MS),
      ]);
      const apply = async () => {
        const createdAt = new Date(now - 2 * HOUR_MS).toISOString();
        await aRun(database.pool, at, { runType: 'apply', createdAt, dirs: [{ dir: 'b' }] });
      };
      await apply();
      branch.files = { ...branch.files, 'c/main.tf': '' };
      await aWorker().artifacts.keep(builtOf(at, sha, ''));
      await database.pool.query(
        `UPDATE work_manifests SET state = 'completed', completed_at = $2, reported_at = $2
          WHERE repository_id = $1 AND run_type = 'build-config'`,
        [at.repository, new Date(now)],
      );
      const looks = async () =>
        (
          await database.pool.query(
            `SELECT m.run_type, m.branch_ref, array_agg(d.dir ORDER BY d.dir) AS dirs FROM work_manifests m
               JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id
              WHERE m.repository_id = $1 AND m.kind = 'drift' GROUP BY m.id ORDER BY m.created_at`,
            [at.repository],
          )
        ).rows;
      now += MINUTE_MS;
      const begin = () =>
        database.pool.query(
          'UPDATE drift_schedules SET next_at = $2, retry_at = NULL WHERE repository_id = $1',
          [at.repository, new Date(NOON)],
        );
      await begin();
      await sweep();
      const first = { run_type: 'plan', branch_ref: sha, dirs: ['a', 'b'] };
      expect(await looks()).toEqual([first]);
      // The pull request is merged meanwhile: the commit may lack what it applied.
      await database.pool.query('UPDATE pull_requests SET updated_at = $2 WHERE repository_id = $1', [
        at.repository,
        new Date(now),
      ]);
      await begin();
      now += MINUTE_MS;
      await sweep();
      expect(await looks()).toEqual([first, { ...first, dirs: ['a'] }]);
      // What was built before it was due does not count.
      now += 25 * HOUR_MS;
      await sweep();
      expect([await runsOf(at, 'build-config'), await looks()]).toMatchObject([{ length: 2 }, { length: 2 }]);
    });

    it('say that the run has failed, and try again later and for another commit', async () => {
      const { at, branch } = await built();
      await aWorker().reading.found(new RepositoriesFound(at.installation));
      await aWorker().readUnread();
      await sweep();
      const fail = () =>
        database.pool.query(
          `UPDATE work_manifests SET state = 'aborted', error_id = 'RUN_LOST', completed_at = $2, reported_at = $2
            WHERE repository_id = $1`,
          [at.repository, new Date(now)],
        );
      await fail();
      now += MINUTE_MS;
      await sweep();
      const [first] = await runsOf(at, 'build-config');
      expect((await scheduleOf(at))?.problem).toBe(
        `the command of config_builder failed in the run ${first?.id} (RUN_LOST)`,
      );
      now += HOUR_MS;
      await sweep();
      expect(await runsOf(at, 'build-config')).toHaveLength(1);
      now += 6 * HOUR_MS;
      await sweep();
      expect(await runsOf(at, 'build-config')).toHaveLength(2);
      await fail();
      branch.files = { ...branch.files, 'build.sh': 'mended' };
      await aWorker().reading.found(new RepositoriesFound(at.installation));
      await aWorker().readUnread();
      await sweep();
      expect(await runsOf(at, 'build-config')).toHaveLength(3);
    });
  });

  it('look at nothing that a pull request holds', async () => {
    const { at } = await due();
    await aHold(database.pool, at, { dir: 'a' });
    await aWorker().sweep();
    expect(await runsOf(at)).toHaveLength(0);
    expect((await scheduleOf(at))?.next_at.getTime()).toBeGreaterThan(NOON);
    const { rows } = await database.pool.query(
      'SELECT last_at FROM drift_schedules WHERE repository_id = $1',
      [at.repository],
    );
    expect(rows).toEqual([{ last_at: null }]);
  });
});
