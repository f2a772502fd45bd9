import { randomUUID } from 'node:crypto';
import {
  type Admin,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  matrix,
  type Person,
  type Reply,
  startGenerous,
} from '../support/identity.js';
import {
  aHold,
  aRepository,
  aRun,
  aStep,
  TEST_ENCRYPTION_KEYS,
  type TestRepository,
} from '../support/run-records.js';
import type { RunningService } from '../support/service.js';

interface List {
  dirspaces: { id: string; dir: string; state: string; kind: unknown }[];
  work_manifests: { id: string; dirspaces: unknown[] }[];
  steps: { idx: number; payload?: unknown; scope: unknown }[];
  id?: string;
  data?: string;
}

describe('Records of runs', () => {
  let service: RunningService;
  let admin: Admin;
  let member: Person;
  let outsider: Person;
  let here: TestRepository;
  let run: string;

  beforeAll(async () => {
    service = await startGenerous({
      env: { SERVICE_ORCHESTRATION_ENABLED: 'true', SERVICE_ENCRYPTION_KEYS: TEST_ENCRYPTION_KEYS },
    });
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    outsider = await anOutsider(service, admin);
    here = await aRepository(service.pool, admin.tenantId);
    run = await aRun(service.pool, here, {
      state: 'running',
      dirs: [
        { dir: 'a', state: 'success', success: true },
        { dir: 'b', workspace: 'x', state: 'running' },
      ],
    });
    await aStep(service.pool, run, 0, { step: 'run' });
    await aStep(service.pool, run, 1, {
      step: 'tf/plan',
      dir: 'a',
      state: 'failure',
      payload: { text: 'no', plan: 'p' },
    });
  });
  afterAll(async () => service.stop());

  const list = (path: string, as: string | undefined, at = here, spelling = at.provider as string) =>
    call<List>(
      service,
      'GET',
      `/${spelling}/installations/${at.installationId}/${path}`,
      as === undefined ? {} : { as },
    );

  const ROUTES = (): string[] => [
    'dirspaces',
    'work-manifests',
    `work-manifests/${run}`,
    `work-manifests/${run}/outputs`,
  ];

  it('lets members and administrators see an installation, and answers 403 to everybody else', async () => {
    const callers = {
      anonymous: undefined,
      outsider: outsider.token,
      member: member.token,
      admin: admin.token,
    };
    const expected = { anonymous: 401, outsider: 403, member: 200, admin: 200 };
    for (const route of ROUTES()) expect(await matrix(callers, (as) => list(route, as))).toEqual(expected);
    expect(await matrix(callers, (as) => list('dirspaces', as, here, 'vcs_a'))).toEqual(expected);
  });

  it('hides unknown, unlinked and foreign installations from every route, also by their ids', async () => {
    const unlinked = await aRepository(service.pool, null);
    const foreign = await aRepository(service.pool, await aTenant(service, admin), { provider: 'gitlab' });
    const theirs = await aRun(service.pool, foreign);
    for (const at of [unlinked, foreign, { ...here, installationId: '1' }])
      for (const route of ROUTES()) expect((await list(route, member.token, at)).status).toBe(403);
    expect((await list(`work-manifests/${theirs}`, member.token)).status).toBe(404);
    expect((await list(`work-manifests/${theirs}/outputs`, member.token)).status).toBe(404);
    const all = await list('dirspaces?limit=100', member.token);
    expect(all.body.dirspaces.map(({ id }) => id)).not.toContain(theirs);
    for (const spelling of ['gitlab', 'vcs_b'])
      expect((await list('dirspaces', admin.token, foreign, spelling)).body.dirspaces).toHaveLength(1);
  });

  it('shows every field of a dirspace, a run and a step', async () => {
    const fields = {
      id: run,
      base_branch: 'main',
      base_ref: 'bbbb',
      branch: 'topic',
      branch_ref: 'aaaa',
      created_at: expect.any(String),
      kind: { pull_number: 7, pull_request_title: 'Seven' },
      owner: 'octo',
      repo: here.name,
      run_type: 'plan',
      tag_query: '',
      user: 'ada',
    };
    const dirspaces = await list(`dirspaces?q=dir:a+id:${run}`, member.token);
    expect(dirspaces.body.dirspaces).toEqual([
      { ...fields, dir: 'a', workspace: 'default', state: 'success' },
    ]);
    expect((await list(`work-manifests/${run}`, member.token)).body).toEqual({
      ...fields,
      repo_id: here.repoId,
      state: 'running',
      failed: false,
      dirspaces: [
        { dir: 'a', workspace: 'default', success: true },
        { dir: 'b', workspace: 'x' },
      ],
    });
    const step = { created_at: expect.any(String), ignore_errors: false };
    expect((await list(`work-manifests/${run}/outputs`, member.token)).body.steps).toEqual([
      {
        ...step,
        idx: 0,
        step: 'run',
        state: 'success',
        scope: { type: 'run', flow: 'hooks', subflow: 'pre' },
        payload: { text: 'step 0' },
      },
      {
        ...step,
        idx: 1,
        step: 'tf/plan',
        state: 'failure',
        scope: { type: 'dirspace', dir: 'a', workspace: 'default' },
        payload: { text: 'no', plan: 'p' },
      },
    ]);
    const lite = await list(`work-manifests/${run}/outputs?lite=true&q=state:failure`, member.token);
    expect(lite.body.steps.map(({ idx, payload }) => [idx, payload])).toEqual([[1, undefined]]);
  });

  it('finds runs by their own state, by that of any of their directories, and by how they ended', async () => {
    const at = await aRepository(service.pool, admin.tenantId);
    const { pool } = service;
    const success = { dir: 'a', state: 'success', success: true };
    const failure = { dir: 'b', state: 'failure', success: false };
    const ids: Record<string, string> = {
      succeeded: await aRun(pool, at, { dirs: [success] }),
      failedPlan: await aRun(pool, at, { dirs: [success, failure] }),
      failedApply: await aRun(pool, at, { runType: 'apply', dirs: [failure] }),
      failedHook: await aRun(pool, at, { hooksFailed: true, dirs: [success] }),
      unreported: await aRun(pool, at, { dirs: [{ dir: 'a', state: 'unknown' }] }),
      index: await aRun(pool, at, { kind: 'index', runType: 'index', dirs: [] }),
      failedIndex: await aRun(pool, at, { kind: 'index', runType: 'index', hooksFailed: true, dirs: [] }),
      aborted: await aRun(pool, at, { state: 'aborted', dirs: [{ dir: 'a', state: 'aborted' }] }),
      running: await aRun(pool, at, { state: 'running', dirs: [{ dir: 'a', state: 'running' }] }),
      queued: await aRun(pool, at, { state: 'queued' }),
    };
    const found = async (q: string) => {
      const { body } = await list(`work-manifests?q=${encodeURIComponent(q)}`, member.token, at);
      const shown = new Set(body.work_manifests.map(({ id }) => id));
      return Object.keys(ids).filter((name) => shown.has(ids[name] ?? ''));
    };
    const failed = ['failedPlan', 'failedApply', 'failedHook', 'unreported', 'failedIndex'];
    expect(await found('state:failure')).toEqual(failed);
    expect(await found('state:failure or state:aborted')).toEqual([...failed, 'aborted']);
    expect(await found('state:queued or state:running')).toEqual(['running', 'queued']);
    expect(await found('state:success')).toEqual(['succeeded', 'failedPlan', 'failedHook', 'index']);
    expect(await found('state:success not state:failure')).toEqual(['succeeded', 'index']);
    expect(await found('state:completed')).toEqual([
      'succeeded',
      ...failed.slice(0, 4),
      'index',
      'failedIndex',
    ]);
    expect(await found('state:unknown')).toEqual(['unreported']);
    expect(await found('state:')).toEqual([]);
  });

  it.each([
    ['dirspaces?q=nonsense', 'UNKNOWN_TAG'],
    ['dirspaces?q=flow:x', 'UNKNOWN_TAG'],
    ['dirspaces?q=(', 'PARSE_ERROR'],
    ['dirspaces?q=pr:x', 'PARSE_ERROR'],
    ['dirspaces?q=created_at:yesterday', 'BAD_DATE_FORMAT'],
    ['dirspaces?tz=Mars', 'PARSE_ERROR'],
    ['dirspaces?limit=0', 'INVALID_REQUEST'],
    ['dirspaces?d=up', 'INVALID_REQUEST'],
    ['dirspaces?page=x', 'INVALID_REQUEST'],
    ['work-manifests?q=%00', 'INVALID_REQUEST'],
  ])('refuses %s', async (path, id) => {
    const answer = await list(path, member.token);
    expect([answer.status, answer.body.id]).toEqual([400, id]);
  });

  it('shows every old row exactly once in pages, both ways, while rows are inserted', async () => {
    const at = await aRepository(service.pool, admin.tenantId);
    const old: string[] = [];
    for (let n = 0; n < 12; n++)
      old.push(await aRun(service.pool, at, { createdAt: `2026-01-01T00:00:0${Math.floor(n / 3)}.000001Z` }));
    const linkOf = (reply: Reply<List>, rel: string) =>
      new RegExp(`<[^>]*/api/v1([^>]*)>; rel="${rel}"`).exec(reply.headers.get('link') ?? '')?.[1];
    const idsOf = (reply: Reply<List>) => reply.body.dirspaces.map(({ id }) => id);
    const seen: string[] = [];
    let page = await list('dirspaces?limit=5', member.token, at);
    expect(linkOf(page, 'prev')).toBeUndefined();
    for (;;) {
      seen.push(...idsOf(page));
      await aRun(service.pool, at);
      const next = linkOf(page, 'next');
      if (next === undefined) break;
      page = await call<List>(service, 'GET', next, { as: member.token });
    }
    expect(seen.toSorted()).toEqual(old.toSorted());
    const back = await call<List>(service, 'GET', linkOf(page, 'prev') ?? '', { as: member.token });
    expect(idsOf(back)).toEqual(seen.slice(5, 10));
    const token = new URL(`http://x${linkOf(back, 'next')}`).searchParams.get('page') ?? '';
    for (const path of [`work-manifests?page=${token}`, `dirspaces?d=asc&page=${token}`])
      expect((await list(path, member.token, at)).status).toBe(400);
    expect(idsOf(await list('dirspaces?d=asc&q=sort:desc&limit=1', member.token, at))).not.toContain(old[0]);
  });

  it('lists the workspaces of a running work manifest only', async () => {
    const ended = await aRun(service.pool, here);
    const ask = (id: string, as: string, method = 'POST', spelling = 'github') =>
      fetch(`${service.url}/api/${spelling}/v1/work-manifests/${id}/workspaces`, {
        method,
        headers: { Authorization: `Bearer ${as}` },
      });
    for (const [method, spelling] of [
      ['POST', 'github'],
      ['POST', 'vcs_a'],
      ['GET', 'github'],
    ] as const)
      expect(await (await ask(run, member.token, method, spelling)).json()).toEqual([
        { dir: 'a', workspace: 'default' },
        { dir: 'b', workspace: 'x' },
      ]);
    expect((await ask(ended, member.token)).status).toBe(403);
    expect((await ask(run, outsider.token)).status).toBe(404);
    expect((await ask(randomUUID(), member.token)).status).toBe(404);
  });

  it('publishes the JSON Schema of the repository configuration to everybody', async () => {
    const answer = await fetch(`${service.url}/api/v1/config-schema`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ properties: { dirs: {}, workflows: {} } });
  });

  it('answers SQL queries over runs of the tenant that the installation is linked to now', async () => {
    const q = encodeURIComponent(`SELECT count(*) AS n FROM dirspaces WHERE work_manifest_id = '${run}'`);
    const count = async (as: string) =>
      (
        (await (
          await fetch(`${service.url}/api/v1/mql?q=${q}`, { headers: { Authorization: `Bearer ${as}` } })
        ).json()) as { n: number }[]
      )[0]?.n;
    expect([await count(member.token), await count(outsider.token)]).toEqual([2, 0]);
  });

  it('shows in SQL who holds a directory since when, to the tenant only', async () => {
    const at = await aRepository(service.pool, admin.tenantId);
    const foreign = await aRepository(service.pool, await aTenant(service, admin));
    for (const each of [at, foreign]) await aHold(service.pool, each, { dir: 'held', username: 'eve' });
    const q = encodeURIComponent(
      `SELECT provider, repo_id, dir, workspace, pull_number, username, created_at <= now() AS since FROM dirspace_holds WHERE dir = 'held'`,
    );
    const rows = async (as: string): Promise<unknown> =>
      (
        await fetch(`${service.url}/api/v1/mql?q=${q}`, { headers: { Authorization: `Bearer ${as}` } })
      ).json();
    expect(await rows(member.token)).toEqual([
      {
        provider: 'github',
        repo_id: at.repoId,
        dir: 'held',
        workspace: 'default',
        pull_number: 7,
        username: 'eve',
        since: true,
      },
    ]);
    expect(await rows(outsider.token)).toEqual([]);
  });
});
