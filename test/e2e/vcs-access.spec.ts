import { createHash, randomUUID } from 'node:crypto';
import { encryptionKeys } from '../support/code-hosting.js';
import { GithubStandIn } from '../support/code-hosts/github-stand-in.js';
import { GitlabStandIn } from '../support/code-hosts/gitlab-stand-in.js';
import { describedRoutes } from '../support/described-routes.js';
import {
  type Admin,
  aKey,
  aManager,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  matrix,
  must,
  type Reply,
  startGenerous,
} from '../support/identity.js';
import { aRepository, aRun, aStep, type TestRepository } from '../support/run-records.js';
import type { RunningService } from '../support/service.js';

const PROVIDERS = ['github', 'gitlab'] as const;
type Provider = (typeof PROVIDERS)[number];
const SPELLINGS = { github: ['github', 'vcs_a'], gitlab: ['gitlab', 'vcs_b'] } as const;

/** An installation that its stand-in knows as well, with a row of every kind. */
interface Place extends TestRepository {
  run: string;
}

/** One call with the ids of a place, or with foreign ones. */
interface Ids {
  installation: string;
  repo: string;
  run: string;
}

interface InstallationRoute {
  method: string;
  /** as described, after the installation */
  rest: string;
  path: (ids: Ids) => string;
  /** for members of the tenant */
  member: number;
  /** for a key that may only plan, where that is another status */
  planOnly?: number;
  /** what answers the id of another installation's row, below an installation that one may see */
  foreignRow?: number;
}

const ROUTES: readonly InstallationRoute[] = [
  { method: 'GET', rest: '/repos', path: () => '/repos', member: 200 },
  { method: 'POST', rest: '/repos/refresh', path: () => '/repos/refresh', member: 200 },
  {
    method: 'GET',
    rest: '/repos/{repoId}/setup',
    path: ({ repo }) => `/repos/${repo}/setup`,
    member: 200,
    foreignRow: 400,
  },
  // Nobody here has linked an account, so the provider cannot be asked who may remove it.
  { method: 'DELETE', rest: '/repos/{repoId}', path: ({ repo }) => `/repos/${repo}`, member: 403 },
  { method: 'GET', rest: '/pull-requests', path: () => '/pull-requests', member: 200 },
  { method: 'GET', rest: '/dirspaces', path: () => '/dirspaces', member: 200 },
  { method: 'GET', rest: '/work-manifests', path: () => '/work-manifests', member: 200 },
  {
    method: 'GET',
    rest: '/work-manifests/{workManifestId}',
    path: ({ run }) => `/work-manifests/${run}`,
    member: 200,
    foreignRow: 404,
  },
  {
    method: 'GET',
    rest: '/work-manifests/{workManifestId}/outputs',
    path: ({ run }) => `/work-manifests/${run}/outputs`,
    member: 200,
    foreignRow: 404,
  },
  {
    method: 'GET',
    rest: '/work-manifests/{workManifestId}/log',
    path: ({ run }) => `/work-manifests/${run}/log`,
    member: 200,
    foreignRow: 404,
  },
  {
    method: 'GET',
    rest: '/work-manifests/{workManifestId}/standing',
    path: ({ run }) => `/work-manifests/${run}/standing`,
    member: 200,
    foreignRow: 404,
  },
  // A run that does not exist: cancelling and releasing are for those who may commit, who are asked first.
  {
    method: 'POST',
    rest: '/work-manifests/{workManifestId}/cancel',
    path: ({ run }) => `/work-manifests/${run.slice(0, -12)}000000000000/cancel`,
    member: 404,
    planOnly: 403,
    foreignRow: 404,
  },
  {
    method: 'POST',
    rest: '/work-manifests/{workManifestId}/release',
    path: ({ run }) => `/work-manifests/${run.slice(0, -12)}000000000000/release`,
    member: 404,
    planOnly: 403,
    foreignRow: 404,
  },
  {
    method: 'GET',
    rest: '/repos/{repoId}/pull-requests/{pullNumber}',
    path: ({ repo }) => `/repos/${repo}/pull-requests/7`,
    member: 200,
    foreignRow: 404,
  },
  { method: 'GET', rest: '/drift', path: () => '/drift', member: 200 },
  { method: 'GET', rest: '/drift-schedules', path: () => '/drift-schedules', member: 200 },
  {
    method: 'POST',
    rest: '/repos/{repoId}/drift-schedules/{name}/start',
    path: ({ repo }) => `/repos/${repo}/drift-schedules/none/start`,
    member: 404,
    planOnly: 403,
    foreignRow: 404,
  },
];

const TABLES = [
  'installations',
  'repositories',
  'pull_requests',
  'work_manifests',
  'dirspaces',
  'dirspace_holds',
];

describe('Rows of code hosting and who reaches them', () => {
  const github = new GithubStandIn();
  const gitlab = new GitlabStandIn();
  const encryption = { SERVICE_ENCRYPTION_KEYS: encryptionKeys() };
  let service: RunningService;
  let admin: Admin;
  let callers: Record<string, string | undefined>;
  const ours = {} as Record<Provider, Place>;
  const second = {} as Record<Provider, Place>;
  const theirs = {} as Record<Provider, Place>;
  const unlinked = {} as Record<Provider, Place>;
  let theirTenant: string;

  beforeAll(async () => {
    await Promise.all([github.start(), gitlab.start()]);
    service = await startGenerous({ env: environment() });
    admin = await anAdmin(service);
    theirTenant = await aTenant(service, admin);
    const member = await aMember(service, admin);
    callers = {
      anonymous: undefined,
      stranger: (await anOutsider(service, admin)).token,
      'member of another tenant': (await aMember(service, admin, [theirTenant])).token,
      'administrator of another tenant': (
        await aManager(service, admin, { tenant_admin: true }, [theirTenant])
      ).token,
      member: member.token,
      'plan-only key': await aKey(service, member, { preview: {} }),
      'tenant admin': (await aManager(service, admin, { tenant_admin: true })).token,
      'installation admin': admin.token,
    };
    for (const provider of PROVIDERS) {
      ours[provider] = await aPlace(provider, admin.tenantId);
      second[provider] = await aPlace(provider, admin.tenantId);
      theirs[provider] = await aPlace(provider, theirTenant);
      unlinked[provider] = await aPlace(provider, null);
    }
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([github.stop(), gitlab.stop()]);
  });

  function environment(): Record<string, string> {
    return {
      SERVICE_ORCHESTRATION_ENABLED: 'true',
      ...encryption,
      ...github.environment,
      ...gitlab.environment,
    };
  }

  async function aPlace(provider: Provider, tenantId: string | null): Promise<Place> {
    const owner = `owner-${randomUUID().slice(0, 8)}`;
    const ids =
      provider === 'gitlab'
        ? await aGroup(owner, tenantId)
        : {
            installationId: String(github.install(owner).id),
            repoId: String(github.addRepository(owner, 'infra').id),
          };
    const place = await aRepository(service.pool, tenantId, { provider, owner, name: 'infra', ...ids });
    const run = await aRun(service.pool, place, { state: 'running' });
    await aStep(service.pool, run, 0);
    await service.pool.query(
      `INSERT INTO webhook_deliveries (id, provider, source, delivery_id, installation_id, event, lane, state)
       VALUES (gen_random_uuid(), $1, 'app', $2, $3, 'ping', $2, 'processed')`,
      [provider, randomUUID(), place.installation],
    );
    return { ...place, run };
  }

  /** A group with its credentials; without a tenant it was unlinked again. */
  async function aGroup(owner: string, tenantId: string | null) {
    const group = gitlab.addGroup(owner);
    const project = gitlab.addProject(group.id, 'infra');
    const path = `/tenants/${tenantId ?? admin.tenantId}/vcs-installations/gitlab`;
    const body = { name: owner, group_id: group.id, access_token: gitlab.addGroupToken(group.id) };
    const made = await must(service, 'POST', path, { as: admin.token, body });
    const installation = made['installation_core_id'] ?? '';
    if (tenantId === null) await must(service, 'DELETE', `${path}/${installation}`, { as: admin.token });
    return { installation, installationId: String(group.id), repoId: String(project.id) };
  }

  const idsOf = (place: Place): Ids => ({
    installation: place.installationId,
    repo: place.repoId,
    run: place.run,
  });

  function ask(route: InstallationRoute, spelling: string, ids: Ids, as: string | undefined) {
    const path = `/${spelling}/installations/${ids.installation}${route.path(ids)}`;
    return call(service, route.method, path, as === undefined ? {} : { as });
  }

  it('are all walked here: every described route below an installation', () => {
    for (const provider of PROVIDERS) {
      const prefix = `/api/v1/${provider}/installations/{installationId}`;
      const described = describedRoutes
        .filter(({ path }) => path.startsWith(prefix))
        .map(({ method, path }) => `${method} ${path.slice(prefix.length)}`)
        // Registering a group and giving its token ask for a role at the provider, before there is a row.
        .filter((route) => !/\/(webhook|access-token)$/.test(route));
      expect(ROUTES.map(({ method, rest }) => `${method} ${rest}`).sort()).toEqual(described.sort());
    }
  });

  describe.each(PROVIDERS)('below an installation of %s', (provider) => {
    it('are for members of its tenant, whatever the spelling', async () => {
      for (const route of ROUTES)
        for (const spelling of SPELLINGS[provider]) {
          const statuses = await matrix(callers, (as) => ask(route, spelling, idsOf(ours[provider]), as));
          expect([route.rest, statuses]).toEqual([
            route.rest,
            {
              anonymous: 401,
              stranger: 403,
              'member of another tenant': 403,
              'administrator of another tenant': 403,
              member: route.member,
              'plan-only key': route.planOnly ?? route.member,
              'tenant admin': route.member,
              'installation admin': route.member,
            },
          ]);
        }
    });

    it('answer 403 by the id of a foreign, unlinked, unknown or other provider installation', async () => {
      const other = provider === 'github' ? 'gitlab' : 'github';
      const ids = [
        idsOf(theirs[provider]),
        idsOf(unlinked[provider]),
        // Their installation with our rows, and ours by the id of the other provider.
        { ...idsOf(ours[provider]), installation: theirs[provider].installationId },
        { ...idsOf(ours[provider]), installation: ours[other].installationId },
        ...[
          '1',
          '0',
          '-1',
          '1e3',
          'null',
          ours[provider].installation,
          `${ours[provider].installationId}%20`,
          `0${ours[provider].installationId}`,
          '%00',
          "1'--",
          '9'.repeat(400),
        ].map((installation) => ({ ...idsOf(ours[provider]), installation })),
      ];
      for (const route of ROUTES)
        for (const one of ids)
          for (const as of [callers['member'], callers['tenant admin'], callers['plan-only key']]) {
            const answer = await ask(route, provider, one, as);
            expect([route.rest, one.installation, answer.status]).toEqual([
              route.rest,
              one.installation,
              403,
            ]);
          }
      // Administrators of the whole service see what is linked, and nothing of what is not.
      for (const route of ROUTES.filter(({ method }) => method === 'GET'))
        expect((await ask(route, provider, idsOf(unlinked[provider]), admin.token)).status).toBe(403);
    });

    it('do not open by an id of another installation, not even of the same tenant', async () => {
      for (const route of ROUTES.filter(({ foreignRow }) => foreignRow !== undefined))
        for (const foreign of [second, theirs, unlinked])
          for (const as of [callers['member'], admin.token]) {
            const ids = { ...idsOf(foreign[provider]), installation: ours[provider].installationId };
            const answer = await ask(route, provider, ids, as);
            expect([route.rest, answer.status]).toEqual([route.rest, route.foreignRow]);
          }
    });

    it('installations of other tenants are in no list and no answer', async () => {
      const lists = ROUTES.filter(({ method }) => method === 'GET').map(
        ({ path }) =>
          `/${provider}/installations/${ours[provider].installationId}${path(idsOf(ours[provider]))}`,
      );
      const tenant = `/tenants/${admin.tenantId}/vcs-installations`;
      const further = [tenant, `${tenant}/deliveries`, '/user/github/installations', '/gitlab/installations'];
      const sql = TABLES.map((table) => `/mql?q=${encodeURIComponent(`SELECT * FROM ${table} LIMIT 1000`)}`);
      const foreign = [theirs, unlinked].flatMap((places) =>
        PROVIDERS.flatMap((each) => [places[each].installation, places[each].run]),
      );
      for (const as of [callers['member'], callers['tenant admin']])
        for (const path of [...lists, ...further, ...sql]) {
          const answer = await fetch(`${service.url}/api/v1${path}`, {
            headers: { Authorization: `Bearer ${as}` },
          });
          const text = await answer.text();
          expect([path, answer.status]).toEqual([
            path,
            as === callers['member'] && path.endsWith('deliveries') ? 403 : 200,
          ]);
          for (const id of foreign) expect(text).not.toContain(id);
        }
    });

    it('do not change hands by the ids of others', async () => {
      const spellings = SPELLINGS[provider];
      const other = provider === 'github' ? 'gitlab' : 'github';
      const tenant = `/tenants/${admin.tenantId}/vcs-installations`;
      const refusal = (answer: Reply) => [answer.status, answer.body['id']];
      for (const spelling of spellings) {
        for (const place of [theirs[provider], unlinked[provider], ours[other]]) {
          const path = `${tenant}/${spelling}/${place.installation}`;
          expect(refusal(await call(service, 'DELETE', path, { as: callers['tenant admin'] ?? '' }))).toEqual(
            [404, 'INSTALLATION_NOT_FOUND'],
          );
          // Only an administrator of the whole service links.
          expect(
            (await call(service, 'PUT', path, { as: callers['tenant admin'] ?? '', body: {} })).status,
          ).toBe(403);
        }
        const linked = `${tenant}/${spelling}/${theirs[provider].installation}`;
        expect(refusal(await call(service, 'PUT', linked, { as: admin.token, body: {} }))).toEqual([
          409,
          'INSTALLATION_LINKED',
        ]);
        const confused = `${tenant}/${spelling}/${unlinked[other].installation}`;
        expect(refusal(await call(service, 'PUT', confused, { as: admin.token, body: {} }))).toEqual([
          404,
          'INSTALLATION_NOT_FOUND',
        ]);
      }
      for (const groupId of [theirs, unlinked].map((places) => places.gitlab.installationId))
        expect(
          refusal(
            await call(service, 'PUT', `${tenant}/gitlab/${groupId}`, {
              as: callers['tenant admin'] ?? '',
              body: { regenerate_webhook_secret: true },
            }),
          ),
        ).toEqual([404, 'INSTALLATION_NOT_FOUND']);
      const { rows } = await service.pool.query<{ n: string }>(
        `SELECT count(*) AS n FROM installations WHERE tenant_id = $1`,
        [theirTenant],
      );
      expect(rows).toEqual([{ n: '2' }]);
    });
  });

  describe('workspaces of a running work manifest', () => {
    it('are for members of its tenant; for others they do not exist', async () => {
      for (const provider of PROVIDERS)
        for (const method of ['POST', 'GET'])
          for (const spelling of ['github', 'vcs_a']) {
            const of = (id: string) => (as: string | undefined) =>
              fetch(`${service.url}/api/${spelling}/v1/work-manifests/${id}/workspaces`, {
                method,
                headers: as === undefined ? {} : { Authorization: `Bearer ${as}` },
              });
            expect(await matrix(callers, of(ours[provider].run))).toEqual({
              anonymous: 401,
              stranger: 404,
              'member of another tenant': 404,
              'administrator of another tenant': 404,
              member: 200,
              'plan-only key': 200,
              'tenant admin': 200,
              'installation admin': 200,
            });
            expect((await of(unlinked[provider].run)(admin.token)).status).toBe(404);
          }
    });
  });

  describe('deleting an installation for good', () => {
    it('is for administrators of the whole service, and only while no tenant has it', async () => {
      for (const provider of PROVIDERS)
        for (const spelling of SPELLINGS[provider]) {
          const path = (id: string) => `/vcs-installations/${spelling}/${id}`;
          expect(
            await matrix(callers, (as) =>
              call(service, 'DELETE', path(ours[provider].installation), as === undefined ? {} : { as }),
            ),
          ).toEqual({
            anonymous: 401,
            stranger: 403,
            'member of another tenant': 403,
            'administrator of another tenant': 403,
            member: 403,
            'plan-only key': 403,
            'tenant admin': 403,
            'installation admin': 409,
          });
          const other = provider === 'github' ? 'gitlab' : 'github';
          for (const id of [randomUUID(), 'x', unlinked[other].installation])
            expect((await call(service, 'DELETE', path(id), { as: admin.token })).status).toBe(404);
        }
      expect(
        (
          await call(service, 'DELETE', `/vcs-installations/bitbucket/${unlinked.github.installation}`, {
            as: admin.token,
          })
        ).status,
      ).toBe(404);
    });

    it('takes along whatever belongs to it, its key-value records too, and nothing else', async () => {
      for (const provider of PROVIDERS) {
        const place = await aPlace(provider, null);
        for (const { installationId } of [place, ours[provider]])
          for (const other of PROVIDERS)
            await service.pool.query(
              `INSERT INTO kv_records (provider, installation_id, key, idx, data, version, committed)
               VALUES ($1, $2, 'lock', 0, 'x', 0, true) ON CONFLICT DO NOTHING`,
              [other, installationId],
            );
        const path = `/vcs-installations/${provider}/${place.installation.toUpperCase()}`;
        expect((await call(service, 'DELETE', path, { as: admin.token })).status).toBe(204);
        expect((await call(service, 'DELETE', path, { as: admin.token })).status).toBe(404);
        const left = await service.pool.query<{ name: string }>(
          `SELECT 'installation' AS name FROM installations WHERE id = $1
           UNION ALL SELECT 'repository' FROM repositories WHERE installation_id = $1
           UNION ALL SELECT 'pull request' FROM pull_requests WHERE installation_id = $1
           UNION ALL SELECT 'run' FROM work_manifests WHERE installation_id = $1
           UNION ALL SELECT 'dirspace' FROM work_manifest_dirspaces WHERE installation_id = $1
           UNION ALL SELECT 'delivery' FROM webhook_deliveries WHERE installation_id = $1
           UNION ALL SELECT 'credentials' FROM group_credentials WHERE installation_id = $1`,
          [place.installation],
        );
        expect(left.rows).toEqual([]);
        const kv = await service.pool.query<{ provider: string; installation_id: string }>(
          `SELECT provider, installation_id FROM kv_records WHERE installation_id = ANY ($1) ORDER BY 1, 2`,
          [[place.installationId, ours[provider].installationId]],
        );
        const other = provider === 'github' ? 'gitlab' : 'github';
        expect(kv.rows.map((row) => `${row.provider}/${row.installation_id}`).sort()).toEqual(
          [
            `${provider}/${ours[provider].installationId}`,
            `${other}/${ours[provider].installationId}`,
            `${other}/${place.installationId}`,
          ].sort(),
        );
        const audit = await service.pool.query(
          `SELECT FROM audit_entries WHERE action = 'installation.delete' AND object_id = $1`,
          [place.installation],
        );
        expect(audit.rows).toHaveLength(1);
      }
    });
  });

  describe('while orchestration is off', () => {
    let off: RunningService;
    let session: string;

    beforeAll(async () => {
      off = await startGenerous({ database: service.database, env: encryption });
      session = callers['member'] ?? '';
    });
    afterAll(() => off.stop());

    const at = (method: string, path: string, as: string | undefined, body?: unknown) =>
      call<Record<string, unknown>>(off, method, path, {
        ...(as === undefined ? {} : { as }),
        ...(body === undefined ? {} : { body }),
      });

    it('whatever changes or starts something answers 503 after authentication, before everything else', async () => {
      const uuid = randomUUID();
      const changing: [string, string][] = [];
      for (const provider of PROVIDERS)
        for (const spelling of SPELLINGS[provider]) {
          const installation = `/${spelling}/installations/${ours[provider].installationId}`;
          const tenant = `/tenants/${admin.tenantId}/vcs-installations/${spelling}`;
          changing.push(
            ['PUT', `${tenant}/${ours[provider].installation}`],
            ['DELETE', `${tenant}/${ours[provider].installation}`],
            ['DELETE', `/vcs-installations/${spelling}/${unlinked[provider].installation}`],
            ['PUT', `/tenants/${uuid}/vcs-installations/${spelling}/${uuid}`],
            ['POST', `/tenants/${admin.tenantId}/runner-pools`],
            ['DELETE', `/tenants/${admin.tenantId}/runner-pools/${uuid}`],
            ['GET', `/${spelling}/link/start?rd=/`],
            ['GET', `/${spelling}/link/callback`],
            ['DELETE', `/${spelling}/link`],
            ['POST', `${installation}/repos/refresh`],
            ['POST', `${installation}/work-manifests/${uuid}/cancel`],
            ['POST', `${installation}/repos/1/drift-schedules/x/start`],
            ['DELETE', `${installation}/repos/${ours[provider].repoId}`],
          );
        }
      for (const spelling of SPELLINGS.github)
        changing.push(
          ['GET', `/tenants/${uuid}/vcs-installations/${spelling}/claim/start`],
          ['GET', `/vcs-installations/${spelling}/claim/callback`],
          ['GET', `/tenants/${uuid}/vcs-installations/${spelling}/claimable`],
          ['POST', `/tenants/${uuid}/vcs-installations/${spelling}/claim`],
        );
      for (const spelling of SPELLINGS.gitlab)
        changing.push(
          ['POST', `/tenants/${admin.tenantId}/vcs-installations/${spelling}`],
          ['PUT', `/tenants/${admin.tenantId}/vcs-installations/${spelling}/77`],
          ['PUT', `/tenants/${admin.tenantId}/vcs-installations/${spelling}/neither`],
          ['GET', `/${spelling}/installations/77/webhook`],
          ['GET', `/${spelling}/installations/x/webhook`],
          ['PUT', `/${spelling}/installations/77/access-token`],
        );
      for (const [method, path] of changing)
        for (const as of [session, admin.token, callers['stranger']]) {
          const answer = await at(method, path, as, method === 'GET' ? undefined : {});
          expect([method, path, answer.status, answer.body]).toEqual([
            method,
            path,
            503,
            { id: 'ORCHESTRATION_DISABLED', data: 'orchestration not enabled on this server' },
          ]);
        }
      for (const [method, path] of changing)
        expect([path, (await at(method, path, undefined)).status]).toEqual([path, 401]);
    });

    it('runners are told so too, once they are who they say', async () => {
      const [workToken, poolToken] = ['infrastate_work_off', `infrastate_pool_${randomUUID()}`];
      const hash = (text: string) => createHash('sha256').update(text).digest();
      await service.pool.query(
        `INSERT INTO runner_pools (id, tenant_id, name, token_hash) VALUES (gen_random_uuid(), $1, 'off', $2)`,
        [admin.tenantId, hash(poolToken)],
      );
      const queued = await aRun(service.pool, ours.github, { state: 'queued' });
      await service.pool.query('UPDATE work_manifests SET work_token_hash = $2 WHERE id = $1', [
        queued,
        hash(workToken),
      ]);
      const runner = { version: '0.1.0', protocol: 1 };
      const disabled = { status: 503, body: { id: 'ORCHESTRATION_DISABLED' } };
      const initiate = { run_id: '1', nonce: 'n', runner };
      expect(await at('POST', '/runner/initiate', workToken, initiate)).toMatchObject(disabled);
      expect(await at('POST', '/runner/claim', poolToken, { wait_seconds: 0, runner })).toMatchObject(
        disabled,
      );
      expect((await at('POST', '/runner/initiate', 'unknown', initiate)).status).toBe(401);
      expect((await at('POST', '/runner/claim', 'unknown', { wait_seconds: 0, runner })).status).toBe(401);
      expect((await at('GET', '/runner/work', 'unknown')).status).toBe(401);
      // With the feature on the same token is taken.
      expect(
        (await call(service, 'POST', '/runner/initiate', { as: workToken, body: initiate })).status,
      ).toBe(200);
      await service.pool.query('DELETE FROM work_manifests WHERE id = $1', [queued]);
    });

    it('lists answer with nothing, and installations as if nobody knew them', async () => {
      const tenant = `/tenants/${admin.tenantId}/vcs-installations`;
      const lists: [string, unknown][] = [
        [tenant, { results: [] }],
        [`${tenant}/deliveries`, { results: [] }],
        [`/tenants/${admin.tenantId}/runner-pools`, { results: [] }],
        [
          '/vcs-installations/vcs_a/unclaimed',
          { results: [], limit: 100, has_more: false, next_cursor: null },
        ],
        ['/user/vcs_a/installations', { installations: [] }],
        ['/vcs_b/installations', { installations: [] }],
      ];
      for (const [path, empty] of lists) {
        const answer = await at('GET', path, admin.token);
        expect([path, answer.status, answer.body]).toEqual([path, 200, empty]);
        expect((await at('GET', path, undefined)).status).toBe(401);
      }
      const groups = await fetch(`${off.url}/api/v1/vcs_b/groups`, {
        headers: { Authorization: `Bearer ${session}` },
      });
      expect([groups.status, await groups.json()]).toEqual([200, []]);
      for (const provider of PROVIDERS)
        for (const route of ROUTES.filter(({ method }) => method === 'GET')) {
          const ids = idsOf(ours[provider]);
          const path = `/${provider}/installations/${ids.installation}${route.path(ids)}`;
          for (const as of [session, admin.token])
            expect([path, (await at('GET', path, as)).status]).toEqual([path, 403]);
        }
      const workspaces = `${off.url}/api/vcs_a/v1/work-manifests/${ours.github.run}/workspaces`;
      const headers = { Authorization: `Bearer ${session}` };
      expect((await fetch(workspaces, { method: 'POST', headers })).status).toBe(404);
    });

    it('webhooks, accounts, configuration and SQL say the same', async () => {
      const deliver = (path: string, headers: Record<string, string>) =>
        fetch(`${off.url}${path}`, { method: 'POST', headers, body: '{}' });
      for (const path of ['/api/github/v1/events', '/api/vcs_a/v1/events', '/api/v1/github/events']) {
        expect((await deliver(path, {})).status).toBe(503);
        expect((await deliver(path, { 'X-Hub-Signature-256': 'sha256=00' })).status).toBe(503);
      }
      expect((await deliver('/api/v1/gitlab/events', {})).status).toBe(400);
      expect((await deliver('/api/v1/vcs_b/events', { 'X-Gitlab-Token': 'f'.repeat(64) })).status).toBe(500);
      for (const path of ['/github/whoami', '/vcs_b/whoami'])
        expect((await at('GET', path, session)).status).toBe(403);
      expect((await at('GET', '/vcs_a/client_id', undefined)).status).toBe(403);
      expect((await at('GET', '/server/config', undefined)).body).toEqual({});
      const { body: schema } = await at('GET', '/mql/schema', session);
      for (const table of TABLES) expect(Object.keys(schema['tables'] as object)).not.toContain(table);
      for (const path of ['/runner/claim', '/runner/initiate'])
        for (const token of [undefined, 'unknown'])
          expect([path, (await at('POST', path, token, {})).status]).toEqual([path, 401]);
    });
  });
});
