import { randomUUID } from 'node:crypto';
import {
  type Admin,
  aKey,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  matrix,
  type Person,
  startGenerous,
} from '../support/identity.js';
import {
  aHold,
  aRepository,
  aRun,
  aSchedule,
  TEST_ENCRYPTION_KEYS,
  type TestRepository,
  type TestRun,
} from '../support/run-records.js';
import type { RunningService } from '../support/service.js';

interface PullRequest {
  directories: { dir: string; is_applicable: boolean; plan: { state: string; hooks_failed: boolean } }[];
}
interface DriftList {
  drift: {
    dir: string;
    state: string;
    drifted_since?: string;
    looked_at?: string;
    held_by?: number;
    hold?: object;
  }[];
  may_release: boolean;
  next_page?: string;
}

describe('Overviews of runs', () => {
  let service: RunningService;
  let admin: Admin;
  let member: Person;
  let outsider: Person;
  let readOnly: string;
  let here: TestRepository;

  beforeAll(async () => {
    service = await startGenerous({
      env: { SERVICE_ORCHESTRATION_ENABLED: 'true', SERVICE_ENCRYPTION_KEYS: TEST_ENCRYPTION_KEYS },
    });
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    outsider = await anOutsider(service, admin);
    readOnly = await aKey(service, admin, { preview: { tenants: [admin.tenantId] } });
    here = await aRepository(service.pool, admin.tenantId);
  });
  afterAll(async () => service.stop());

  const ask = <Body = Record<string, unknown>>(
    method: 'GET' | 'POST',
    path: string,
    as: string | undefined = member.token,
    at: { provider: string; installationId: string } = here,
  ) =>
    call<Body>(
      service,
      method,
      `/${at.provider}/installations/${at.installationId}/${path}`,
      as === undefined ? {} : { as },
    );
  const rowsOf = async (sql: string, id: string) => (await service.pool.query(sql, [id])).rows as unknown[];

  it('shows them to members, and lets those cancel and start who may commit', async () => {
    const callers = {
      anonymous: '',
      outsider: outsider.token,
      readOnly,
      admin: admin.token,
    };
    await aSchedule(service.pool, here, 'nightly');
    const run = await aRun(service.pool, here, { state: 'running' });
    const pullRequest = `repos/${here.repoId}/pull-requests/7`;
    const reads = [`work-manifests/${run}/standing`, pullRequest, 'drift', 'drift-schedules'];
    for (const path of reads)
      expect(await matrix(callers, (as) => ask('GET', path, as))).toEqual({
        anonymous: 401,
        outsider: 403,
        readOnly: 200,
        admin: 200,
      });
    for (const path of reads)
      expect((await ask('GET', path, member.token, { ...here, provider: 'vcs_a' })).status).toBe(200);
    const cancel = `work-manifests/${run}/cancel`;
    const may = (as: string) => ask('GET', `work-manifests/${run}/standing`, as);
    expect((await may(readOnly)).body).toMatchObject({ may_cancel: false });
    expect((await may(admin.token)).body).toMatchObject({ may_cancel: true });
    expect(await matrix(callers, (as) => ask('POST', cancel, as))).toEqual({
      anonymous: 401,
      outsider: 403,
      readOnly: 403,
      admin: 204,
    });
    const start = `repos/${here.repoId}/drift-schedules/nightly/start`;
    delete (callers as Partial<typeof callers>).admin;
    expect(await matrix(callers, (as) => ask('POST', start, as))).toEqual({
      anonymous: 401,
      outsider: 403,
      readOnly: 403,
    });
    const problem = 'PROVIDER_UNAVAILABLE: the code host does not answer';
    await service.pool.query('UPDATE drift_schedules SET problem = $2 WHERE repository_id = $1', [
      here.repository,
      problem,
    ]);
    expect((await ask('GET', 'drift-schedules', readOnly)).body).toMatchObject({
      may_start: false,
      schedules: [{ name: 'nightly', problem }],
    });
  });

  it('hides what is of another tenant, by every id', async () => {
    const foreign = await aRepository(service.pool, await aTenant(service, admin));
    const theirs = await aRun(service.pool, foreign, { state: 'running', kind: 'drift' });
    await aSchedule(service.pool, foreign, 'theirs');
    const notFound = { status: 404 };
    for (const id of [theirs, randomUUID(), 'x'])
      for (const [method, route] of [
        ['GET', 'standing'],
        ['POST', 'cancel'],
      ] as const)
        expect(await ask(method, `work-manifests/${id}/${route}`, admin.token)).toMatchObject(notFound);
    for (const path of [`${foreign.repoId}/pull-requests/7`, `${here.repoId}/pull-requests/8`])
      expect(await ask('GET', `repos/${path}`)).toMatchObject({
        status: 404,
        body: { id: 'PULL_REQUEST_NOT_FOUND' },
      });
    for (const number of ['x', '0', '-1', '99999999999'])
      expect((await ask('GET', `repos/${here.repoId}/pull-requests/${number}`)).status).toBe(404);
    for (const path of [`${foreign.repoId}/drift-schedules/theirs`, `${here.repoId}/drift-schedules/none`])
      expect(await ask('POST', `repos/${path}/start`, admin.token)).toMatchObject({
        status: 404,
        body: { id: 'DRIFT_SCHEDULE_NOT_FOUND' },
      });
    for (const path of ['drift', 'drift-schedules', `repos/${foreign.repoId}/pull-requests/7`])
      expect((await ask('GET', path, member.token, foreign)).status).toBe(403);
    const [run] = await rowsOf('SELECT state FROM work_manifests WHERE id = $1', theirs);
    expect(run).toEqual({ state: 'running' });
  });

  it('cancels a run once, frees its directories, keeps the hold of its pull request, and says who did it', async () => {
    const at = await aRepository(service.pool, admin.tenantId);
    const run = await aRun(service.pool, at, { state: 'running', runType: 'apply', dirs: [{ dir: 'a' }] });
    await aHold(service.pool, at, { dir: 'a' });
    await service.pool.query(`INSERT INTO dirspace_modes VALUES ($1, 'a', 'default', 'apply')`, [
      at.repository,
    ]);
    await service.pool.query(`INSERT INTO running_dirspaces VALUES ($1, $2, 'a', 'default', 'apply')`, [
      run,
      at.repository,
    ]);
    const path = `work-manifests/${run}/cancel`;
    const both = await Promise.all([1, 2].map(() => ask('POST', path, admin.token, at)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    expect(await ask('POST', path, admin.token, at)).toMatchObject({
      status: 409,
      body: { id: 'RUN_ENDED' },
    });
    expect((await ask('GET', `work-manifests/${run}`, admin.token, at)).body).toMatchObject({
      state: 'aborted',
      error: { id: 'CANCELLED', data: 'Ada cancelled it' },
    });
    expect(await rowsOf('SELECT 1 FROM running_dirspaces WHERE work_manifest_id = $1', run)).toEqual([]);
    expect(await rowsOf('SELECT 1 FROM dirspace_holds WHERE repository_id = $1', at.repository)).toHaveLength(
      1,
    );
    const audited = await rowsOf(
      `SELECT actor_id, action, tenant_id FROM audit_entries WHERE object_id = $1`,
      run,
    );
    expect(audited).toEqual([{ actor_id: admin.id, action: 'run.cancel', tenant_id: admin.tenantId }]);
  });

  it('says what a queued run waits for', async () => {
    const at = await aRepository(service.pool, admin.tenantId);
    const apply = await aRun(service.pool, at, { runType: 'apply', state: 'queued', isWaiting: true });
    const plan = await aRun(service.pool, at, { state: 'queued', isWaiting: true });
    const homeless = await aRun(service.pool, at, {
      state: 'queued',
      isWaiting: true,
      place: 'pool',
      pool: 'none',
      dirs: [{ dir: 'b' }],
    });
    const waits = async (id: string) =>
      (await ask<{ waits_for: unknown[] }>('GET', `work-manifests/${id}/standing`, member.token, at)).body
        .waits_for;
    expect(await waits(apply)).toEqual([{ reason: 'turn', text: expect.any(String) }]);
    expect(await waits(plan)).toEqual([
      {
        reason: 'directory',
        text: 'an apply that was asked for earlier waits for a',
        work_manifest_id: apply,
      },
    ]);
    expect(await waits(homeless)).toEqual([
      { reason: 'pool', text: expect.stringContaining('no runner pool named none') },
    ]);
  });

  it('shows a pull request with its newest plans, applies, holds and gates', async () => {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    const old = '2026-01-01T10:00:00.000Z';
    await aRun(pool, at, { createdAt: old, dirs: [{ dir: 'a', state: 'failure', success: false }] });
    const plan = await aRun(pool, at, {
      createdAt: '2026-01-02T10:00:00.000Z',
      dirs: [
        {
          dir: 'a',
          state: 'success',
          success: true,
          hasChanges: true,
          summary: { add: 1, change: 2, destroy: 0 },
        },
        { dir: 'b', state: 'success', success: true, hasChanges: false },
      ],
    });
    const apply = await aRun(pool, at, {
      runType: 'apply',
      createdAt: '2026-01-03T10:00:00.000Z',
      dirs: [{ dir: 'a', state: 'failure', success: false }],
    });
    await aHold(pool, at, { dir: 'a' });
    await pool.query(
      `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
       VALUES ($1, $2, 8, 'Eight', 'other', 'cccc', 'main', 'bbbb', 'open', now(), now())`,
      [at.repository, at.installation],
    );
    await aHold(pool, at, { dir: 'b', pullNumber: 8, username: 'bob' });
    await aHold(pool, at, { dir: 'elsewhere', pullNumber: 8, username: 'bob' });
    const gate = randomUUID();
    await pool.query(
      `INSERT INTO gates (id, repository_id, pull_number, sha, token, name, all_of, any_of, any_of_count)
       VALUES ($1, $2, 7, 'aaaa', 'token', 'Cost', '{}', '{team:ops}', 1), ($3, $2, 7, 'older', 'gone', 'Old', '{}', '{}', 1)`,
      [gate, at.repository, randomUUID()],
    );
    await pool.query(`INSERT INTO gate_approvals (gate_id, username, comment_id) VALUES ($1, 'eve', '1')`, [
      gate,
    ]);
    // Of the commit, and newer than its runs; of an older commit; of another pull request.
    await pool.query(
      `INSERT INTO configuration_mistakes (repository_id, pull_number, sha, mistakes) VALUES ($1, 7, 'aaaa', $2), ($1, 8, 'older', $2)`,
      [at.repository, JSON.stringify([{ file: 'config.yml', line: 3, key: 'dirz', message: 'unknown key' }])],
    );
    const { body } = await ask('GET', `repos/${at.repoId}/pull-requests/7`, member.token, at);
    const other = await ask('GET', `repos/${at.repoId}/pull-requests/8`, member.token, at);
    expect(other.body).toMatchObject({ mistakes: [] });
    expect(body).toEqual({
      repository: at.repoId,
      owner: 'octo',
      name: at.name,
      pull_number: 7,
      title: 'Seven',
      state: 'open',
      is_draft: false,
      is_fork: false,
      branch: 'topic',
      base_branch: 'main',
      sha: 'aaaa',
      url: 'http://localhost/x/pull/7',
      mistakes: [{ file: 'config.yml', line: 3, key: 'dirz', message: 'unknown key' }],
      directories: [
        {
          dir: 'a',
          workspace: 'default',
          is_overtaken: false,
          is_applicable: false,
          plan: {
            work_manifest_id: plan,
            state: 'success',
            hooks_failed: false,
            has_changes: true,
            summary: { add: 1, change: 2, destroy: 0 },
            created_at: '2026-01-02T10:00:00.000Z',
          },
          apply: {
            work_manifest_id: apply,
            state: 'failure',
            hooks_failed: false,
            created_at: '2026-01-03T10:00:00.000Z',
          },
        },
        {
          dir: 'b',
          workspace: 'default',
          is_overtaken: false,
          is_applicable: false,
          plan: {
            work_manifest_id: plan,
            state: 'success',
            hooks_failed: false,
            has_changes: false,
            created_at: '2026-01-02T10:00:00.000Z',
          },
        },
      ],
      holds: [
        {
          dir: 'a',
          workspace: 'default',
          pull_number: 7,
          user: 'ada',
          created_at: expect.any(String),
          reason: 'failed',
          work_manifest_id: apply,
        },
        {
          dir: 'b',
          workspace: 'default',
          pull_number: 8,
          user: 'bob',
          created_at: expect.any(String),
          reason: 'failed',
        },
      ],
      may_release: true,
      gates: [
        {
          token: 'token',
          name: 'Cost',
          all_of: [],
          any_of: ['team:ops'],
          any_of_count: 1,
          approvals: ['eve'],
        },
      ],
      descriptions: [],
    });
    // Something was planned since: the configuration could be used.
    await aRun(pool, at, { dirs: [{ dir: 'c', state: 'queued' }] });
    const later = await ask('GET', `repos/${at.repoId}/pull-requests/7`, member.token, at);
    expect(later.body).toMatchObject({ mistakes: [] });
  });

  it('tells which plans an apply would take', async () => {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    const planned = { state: 'success', success: true, hasChanges: true };
    const plan = (dir: string, fields: TestRun = {}): Promise<string> =>
      aRun(pool, at, { createdAt: '2026-01-01T10:00:00Z', dirs: [{ dir, ...planned }], ...fields });
    const shown = async () => {
      const path = `repos/${at.repoId}/pull-requests/7`;
      const { body } = await ask<PullRequest>('GET', path, member.token, at);
      return body.directories.map(({ dir, is_applicable, plan: { state, hooks_failed } }) => [
        dir,
        is_applicable,
        hooks_failed ? 'hook failed' : state,
      ]);
    };
    await plan('planned');
    await plan('hooked', { hooksFailed: true });
    // What a runner reported after its run was given up.
    await plan('late', { state: 'aborted' });
    const retired = await plan('retired');
    await pool.query('UPDATE work_manifest_dirspaces SET retired_at = now() WHERE work_manifest_id = $1', [
      retired,
    ]);
    // A newer plan that was given up leaves the one before it.
    await plan('again');
    await aRun(pool, at, { state: 'aborted', dirs: [{ dir: 'again', state: 'aborted' }] });
    // An apply that was given up after it began uses its plan up, and whoever plans again has to look first.
    await plan('used');
    const apply = await aRun(pool, at, {
      runType: 'apply',
      state: 'aborted',
      createdAt: '2026-01-02T10:00:00Z',
      dirs: [{ dir: 'used', state: 'aborted' }],
    });
    await pool.query('UPDATE work_manifests SET started_at = created_at WHERE id = $1', [apply]);
    await pool.query(
      `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number, username, created_at)
       VALUES ($1, 'used', 'default', 7, 'ada', '2026-01-02T10:00:00Z')`,
      [at.repository],
    );
    const expected = [
      ['again', true, 'aborted'],
      ['hooked', false, 'hook failed'],
      ['late', false, 'aborted'],
      ['planned', true, 'success'],
      ['retired', false, 'success'],
      ['used', false, 'success'],
    ];
    expect(await shown()).toEqual(expected);
    await plan('used', { createdAt: '2026-01-03T10:00:00Z' });
    expect(await shown()).toEqual(expected);
    await pool.query('DELETE FROM dirspace_holds WHERE repository_id = $1', [at.repository]);
    expect((await shown()).at(-1)).toEqual(['used', true, 'success']);
    await pool.query(`UPDATE pull_requests SET base_branch = 'release' WHERE repository_id = $1`, [
      at.repository,
    ]);
    expect(await shown()).toEqual([]);
  });

  it('shows what the last looks for drift found, since when, and page by page', async () => {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    const look = (day: number, dir: string, fields: object, runType = 'plan') => {
      const when = `2026-01-0${day}T10:00:00.000Z`;
      const ended = { state: 'success', success: true, endedAt: when };
      return aRun(pool, at, {
        kind: 'drift',
        runType,
        createdAt: when,
        dirs: [{ dir, ...ended, ...fields }],
      });
    };
    await look(1, 'clean', { hasChanges: true });
    await look(2, 'clean', { hasChanges: false });
    await look(1, 'drifted', { hasChanges: false });
    await look(2, 'drifted', { hasChanges: true });
    await look(3, 'drifted', { hasChanges: true, summary: { add: 0, change: 1, destroy: 0 } });
    // One that is under way, and one that was given up, say nothing yet.
    await aRun(pool, at, { kind: 'drift', state: 'running', dirs: [{ dir: 'drifted', state: 'running' }] });
    await look(4, 'drifted', { state: 'aborted', success: null, hasChanges: null });
    await look(1, 'failed', { hasChanges: null, success: false, state: 'failure' });
    await look(1, 'reconciled', { hasChanges: true }, 'apply');
    await aRun(pool, at, { kind: 'drift', state: 'running', dirs: [{ dir: 'first', state: 'running' }] });
    await aHold(pool, at, { dir: 'drifted' });
    // What a pull request plans is no look.
    await aRun(pool, at, { dirs: [{ dir: 'other', state: 'success', success: true, hasChanges: true }] });
    const list = async (query: string) =>
      (await ask<DriftList>('GET', `drift${query}`, member.token, at)).body;
    const all = await list('');
    expect(all.drift.map(({ dir, state }) => [dir, state])).toEqual([
      ['clean', 'clean'],
      ['drifted', 'drifted'],
      ['failed', 'failed'],
      ['first', 'looking'],
      ['reconciled', 'clean'],
    ]);
    expect(all.drift[1]).toMatchObject({
      looked_at: '2026-01-03T10:00:00.000Z',
      drifted_since: '2026-01-02T10:00:00.000Z',
      summary: { add: 0, change: 1, destroy: 0 },
      held_by: 7,
      hold: { pull_number: 7, created_at: expect.any(String), reason: 'failed' },
      issues_url: 'http://localhost/x/issues?q=is%3Aissue+is%3Aopen+label%3Ainfrastate-drift',
    });
    const paged: string[] = [];
    for (let page = ''; ;) {
      const part = await list(`?limit=2${page}`);
      paged.push(...part.drift.map(({ dir }) => dir));
      if (part.next_page === undefined) break;
      page = `&page=${encodeURIComponent(part.next_page)}`;
    }
    expect(paged).toEqual(all.drift.map(({ dir }) => dir));
    expect((await list('?state=drifted')).drift.map(({ dir }) => dir)).toEqual(['drifted']);
    expect((await list(`?repo=${at.name}`)).drift).toHaveLength(5);
    expect((await list('?repo=other')).drift).toEqual([]);
    for (const query of ['?state=x', '?page=x', '?limit=0', '?repo=%00'])
      expect((await ask('GET', `drift${query}`)).status).toBe(400);
  });

  it('shows what holds for drift, and releases what an aborted run left, once somebody has looked', async () => {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    /** A drift run that began to reconcile, and holds its directories. */
    async function reconcile(state: 'running' | 'aborted', ...dirs: string[]): Promise<string> {
      const id = await aRun(pool, at, {
        kind: 'drift',
        runType: 'apply',
        state,
        dirs: dirs.map((dir) => ({ dir, state })),
      });
      for (const dir of dirs)
        await pool.query(
          `INSERT INTO dirspace_holds (repository_id, dir, workspace, work_manifest_id, created_at)
           VALUES ($1, $2, 'default', $3, '2026-01-31T10:00:00Z')`,
          [at.repository, dir, id],
        );
      return id;
    }
    const givenUp = await reconcile('aborted', 'a', 'b');
    const running = await reconcile('running', 'c');
    await aHold(pool, at, { dir: 'd' });
    const list = async (as = member.token) => (await ask<DriftList>('GET', 'drift', as, at)).body;
    const holds = async () => (await list()).drift.map(({ dir, hold }) => [dir, hold]);
    const created_at = '2026-01-31T10:00:00.000Z';
    const before = [
      ['a', { created_at, reason: 'failed', work_manifest_id: givenUp }],
      ['b', { created_at, reason: 'failed', work_manifest_id: givenUp }],
      ['c', { created_at, reason: 'applying', work_manifest_id: running }],
    ];
    expect(await holds()).toEqual(before);
    expect([(await list(readOnly)).may_release, (await list(admin.token)).may_release]).toEqual([
      false,
      true,
    ]);

    const pull = (as: string) => ask('GET', `repos/${at.repoId}/pull-requests/7`, as, at);
    expect([(await pull(readOnly)).body, (await pull(admin.token)).body]).toMatchObject([
      { may_release: false },
      { may_release: true },
    ]);

    const release = (run: string, as = admin.token) => ask('POST', `work-manifests/${run}/release`, as, at);
    const refused = { anonymous: '', outsider: outsider.token, readOnly };
    expect(await matrix(refused, (as) => ask('POST', `work-manifests/${givenUp}/release`, as, at))).toEqual({
      anonymous: 401,
      outsider: 403,
      readOnly: 403,
    });
    const foreign = await aRepository(pool, await aTenant(service, admin));
    const theirs = await aRun(pool, foreign, { kind: 'drift', state: 'aborted' });
    for (const id of [theirs, randomUUID(), 'x'])
      expect(await release(id)).toMatchObject({ status: 404, body: { id: 'WORK_MANIFEST_NOT_FOUND' } });
    expect(await release(running)).toMatchObject({ status: 409, body: { id: 'RUN_UNDER_WAY' } });
    expect(await holds()).toEqual(before);

    const dirspaces = expect.arrayContaining(['a', 'b'].map((dir) => ({ dir, workspace: 'default' })));
    expect(await release(givenUp)).toMatchObject({ status: 200, body: { dirspaces } });
    expect(await release(givenUp)).toMatchObject({ status: 200, body: { dirspaces: [] } });
    expect(await holds()).toEqual([['a', undefined], ['b', undefined], before[2]]);
    const left = await rowsOf(
      'SELECT dir FROM dirspace_holds WHERE repository_id = $1 ORDER BY dir',
      at.repository,
    );
    expect(left).toEqual([{ dir: 'c' }, { dir: 'd' }]);
    const audited = await rowsOf(
      `SELECT actor_id, action, data FROM audit_entries WHERE object_id = $1`,
      givenUp,
    );
    expect(audited).toEqual([
      {
        actor_id: admin.id,
        action: 'drift.release',
        data: { repository: `octo/${at.name}`, dirspaces },
      },
    ]);
  });
});
