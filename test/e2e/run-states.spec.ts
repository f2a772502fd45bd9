import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describedRoutes } from '../support/described-routes.js';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { WatchedPrograms } from '../support/hosted/watched-programs.js';
import { aKey, call, must } from '../support/identity.js';

type Row = Record<string, unknown>;

const succeeded = { code: 0, output: expect.stringContaining('') as string };
const failed = { code: 1, output: expect.stringContaining('') as string };

function resources(values: Record<string, string>, head = ''): string {
  const blocks = Object.entries(values).map(
    ([name, value]) => `resource "terraform_data" "${name}" { input = ${JSON.stringify(value)} }`,
  );
  return `${head}${blocks.join('\n')}\n`;
}

/** Directory `a` uses a state of the service. */
function configuration(group: string, more = ''): string {
  return `dirs:\n  a:\n    state: {group_id: ${group}}\n${more}`;
}

/** A secret as it is, and the middle of its base64 at each alignment. */
function formsOf(secret: string): string[] {
  const encoded = ['', 'x', 'xx'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, ...encoded];
}

describe('Runs whose states live here', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-states-'));
    service = await HostedService.start(home, { env: { SERVICE_COST_ENABLED: 'true' } });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(files: Record<string, string>): Promise<HostedRepository> {
    const repository = await service.repository(files);
    repository.setRole('author', 'write');
    return repository;
  }

  /** The document of a group's default workspace, as the backend answers it. */
  async function documentOf(group: string): Promise<{ resources?: Row[] }> {
    return must(service.api, 'GET', `/states/backend/${group}`, { as: service.admin.token });
  }

  async function transactionsOf(group: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(
      `SELECT t.id, t.state, t.kind, t.tags, u.type AS by_type FROM transactions t JOIN users u ON u.id = t.created_by
         JOIN transaction_states ts ON ts.tx_id = t.id JOIN states s ON s.id = ts.state_id
        WHERE s.group_id = $1 ORDER BY t.created_at`,
      [group],
    );
    return rows;
  }

  const commentWith = (repository: HostedRepository, text: string) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments().findLast((each) => each.includes(text)),
    );

  it('plans what changed and applies exactly that, in one transaction, without a secret', async () => {
    const group = randomUUID();
    const repository = await aRepository({
      'a/main.tf': resources({}),
      '.infrastate/config.yml': configuration(group),
    });
    const number = await repository.open('topic', {
      'a/main.tf': resources({ one: 'first', two: 'second' }),
    });
    const planned = await service.ciJob(repository, 0);
    expect(planned).toEqual(succeeded);
    const comment = await commentWith(repository, 'Plan succeeded');
    expect(comment).toContain('`+2 ~0 -0`');
    expect(comment).toContain('terraform_data.one');
    expect(comment).toContain('**Findings**\n- `a` (`default`): none added, none resolved');
    expect(comment).toContain('**Monthly cost**\n- `a` (`default`): 0.00 → 0.00 USD (+0.00)');
    expect((await documentOf(group)).resources).toEqual([]);

    await repository.comment(number, 'infrastate apply');
    const applied = await service.ciJob(repository, 1);
    expect(applied).toEqual(succeeded);
    await commentWith(repository, 'Apply succeeded');
    expect((await documentOf(group)).resources).toHaveLength(2);
    const tags = {
      provider: 'github',
      repo: `acme/${repository.name}`,
      pull_number: number,
      dir: 'a',
      workspace: 'default',
      work_manifest_id: expect.any(String) as string,
      sha: repository.sha('topic'),
    };
    expect(await transactionsOf(group)).toEqual([
      { id: expect.any(String) as string, state: 'committed', kind: 'plan', tags, by_type: 'system' },
    ]);

    await repository.merge(number);
    const next = await repository.open('next', {
      'a/main.tf': resources({ one: 'changed', two: 'second' }),
    });
    expect(await service.ciJob(repository, 2)).toEqual(succeeded);
    expect(await commentWith(repository, '`+0 ~1 -0`')).not.toContain('terraform_data.two');
    // Nobody will apply it any more.
    await repository.close(next);
    expect((await transactionsOf(group)).map(({ state }) => state)).toEqual(['committed', 'aborted']);
  });

  it('plans anew into a new transaction, and ends the one before', async () => {
    const group = randomUUID();
    const repository = await aRepository({
      'a/main.tf': resources({}),
      '.infrastate/config.yml': configuration(group),
    });
    const number = await repository.open('topic', { 'a/main.tf': resources({ one: 'a' }) });
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate plan');
    expect((await transactionsOf(group)).map(({ state }) => state)).toEqual(['aborted']);
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    await service.eventually('the second plan', () => repository.comments().length === 2);
    repository.commit('topic', { 'a/main.tf': resources({ one: 'b' }) });
    await repository.announce(number, 'updated');
    expect((await transactionsOf(group)).map(({ state }) => state)).toEqual(['aborted', 'aborted']);
  });

  it('is refused where somebody was first, says who, and plans again at once', async () => {
    const group = randomUUID();
    const [mine, theirs] = [
      await aRepository({ 'a/main.tf': resources({}), '.infrastate/config.yml': configuration(group) }),
      await aRepository({
        'a/main.tf': resources({}),
        '.infrastate/config.yml': configuration(group, 'when_modified: {autoplan: false}\n'),
      }),
    ];
    theirs.setRole('author', 'admin');
    const number = await mine.open('topic', { 'a/main.tf': resources({ one: 'mine' }) });
    expect(await service.ciJob(mine, 0)).toEqual(succeeded);
    await commentWith(mine, 'Plan succeeded');

    // A pull request of another repository that uses the same state.
    const other = await theirs.open('topic', { 'a/main.tf': resources({ one: 'theirs' }) });
    await theirs.comment(other, 'infrastate apply-autoapprove');
    expect(await service.ciJob(theirs, 0)).toEqual(succeeded);
    await mine.comment(number, 'infrastate apply');
    expect(await service.ciJob(mine, 1)).toEqual(failed);
    expect(await commentWith(mine, 'TX_CONFLICT')).toContain(`pull request acme/${theirs.name}#${other}`);
    // The next plan needs no comment, and takes the place of the one that cannot be applied any more.
    expect(await service.ciJob(mine, 2)).toEqual(succeeded);
    await commentWith(mine, 'Plan succeeded');
    await service.eventually('the older plan', () => mine.comments()[0]?.includes('This plan is outdated'));

    // Somebody with the client, between the plan and the comment.
    const { rows } = await service.pool.query<{ id: string }>('SELECT id FROM states WHERE group_id = $1', [
      group,
    ]);
    const directory = mkdtempSync(join(home, 'person-'));
    writeFileSync(join(directory, 'main.tf'), resources({ one: 'by hand' }));
    const env = {
      INFRASTATE_API_BASE: service.api.url,
      INFRASTATE_API_KEY: await aKey(service.api, service.admin),
      INFRASTATE_TENANT_ID: service.admin.tenantId,
      INFRASTATE_STATE: rows[0]?.id ?? '',
      XDG_CACHE_HOME: join(directory, '.cache'),
    };
    expect(await service.client(['plan', '-out=by-hand.plan'], env, directory)).toEqual({
      code: 2,
      output: expect.stringContaining('by hand') as string,
    });
    expect(await service.client(['apply', 'by-hand.plan'], env, directory)).toEqual(succeeded);
    await mine.comment(number, 'infrastate apply');
    expect(await service.ciJob(mine, 3)).toEqual(failed);
    const [person] = (await transactionsOf(group)).filter(({ by_type: type }) => type !== 'system');
    expect(person?.['state']).toBe('committed');
    const refused = await commentWith(mine, String(person?.['id']));
    expect(refused).toContain('`TX_CONFLICT`');
    expect(JSON.stringify((await documentOf(group)).resources)).toContain('by hand');
    // What was applied by hand is planned over, and may be applied.
    expect(await service.ciJob(mine, 4)).toEqual(succeeded);
    await commentWith(mine, '"by hand" -> "mine"');
    await mine.comment(number, 'infrastate apply');
    expect(await service.ciJob(mine, 5)).toEqual(succeeded);
    await commentWith(mine, 'Apply succeeded');
    expect(JSON.stringify((await documentOf(group)).resources)).toContain('"mine"');
  }, 120_000);

  it('finds what somebody changed behind the configuration, and reconciles it', async () => {
    const group = randomUUID();
    const drift = 'drift: {enabled: true, schedules: {all: {schedule: hourly, reconcile: true}}}\n';
    const repository = await aRepository({
      'a/main.tf': resources({ one: 'as it should be' }),
      '.infrastate/config.yml': configuration(group, drift),
    });
    await repository.pushed();
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    const document = await must<{ serial: number }>(service.api, 'GET', `/states/backend/${group}`, {
      as: service.admin.token,
    });
    const changed = JSON.stringify({ ...document, serial: document.serial + 1 }).replaceAll(
      'as it should be',
      'changed by hand',
    );
    await must(service.api, 'POST', `/states/backend/${group}`, {
      as: service.admin.token,
      body: JSON.parse(changed) as Row,
    });
    expect(JSON.stringify(await documentOf(group))).toContain('changed by hand');

    // The configuration is the one that was applied: only a refresh of everything finds the difference.
    const id = await service.repositoryId(repository);
    await service.pool.query('UPDATE drift_schedules SET next_at = now() WHERE repository_id = $1', [id]);
    await repository.pushed();
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    const reconciled = JSON.stringify(await documentOf(group));
    expect(reconciled).toContain('as it should be');
    expect(reconciled).not.toContain('changed by hand');
    const { rows } = await service.pool.query<Row>(
      `SELECT kind, run_type, success, has_changes, summary FROM work_manifest_dirspaces
        WHERE repository_id = $1 ORDER BY created_at`,
      [id],
    );
    const look = { kind: 'drift', run_type: 'apply', success: true, has_changes: true };
    expect(rows).toEqual([
      { ...look, summary: { add: 1, change: 0, destroy: 0 } },
      { ...look, summary: { add: 0, change: 1, destroy: 0 } },
    ]);
    expect((await transactionsOf(group)).filter(({ by_type }) => by_type === 'system')).toMatchObject([
      { state: 'committed', kind: 'plan', tags: { dir: 'a', sha: repository.sha('main') } },
      { state: 'committed', kind: 'plan', tags: { dir: 'a', sha: repository.sha('main') } },
    ]);
  });

  it('writes everything of one apply into one session with mode full, and shows secrets to nothing else', async () => {
    const group = randomUUID();
    const secrets = aJobWithSecrets();
    const head = (backend: string) => `terraform {
  backend ${backend}
}
variable "secret" { sensitive = true }
output "secret" {
  value     = var.secret
  sensitive = true
}
`;
    const [here, elsewhere] = [head('"http" {}'), head(`"local" { path = "${join(home, 'else.tfstate')}" }`)];
    const repository = await aRepository({
      'a/main.tf': here,
      'b/main.tf': elsewhere,
      '.infrastate/config.yml': configuration(group, `    mode: full\n${secrets.hooks}`),
    });
    const number = await repository.open('topic', {
      'a/main.tf': resources({ one: 'x' }, here),
      'b/main.tf': resources({ one: 'x' }, elsewhere),
    });
    const planned = await service.ciJob(repository, 0, secrets.env);
    expect(planned).toEqual(succeeded);
    await commentWith(repository, '`+1 ~0 -0`');
    await repository.comment(number, 'infrastate apply');
    const applied = await service.ciJob(repository, 1, secrets.env);
    expect(applied).toEqual(succeeded);
    await commentWith(repository, 'Apply succeeded');
    await expectSecretsKept(repository, secrets, planned.output + applied.output);
    expect((await documentOf(group)).resources).toHaveLength(1);
    expect(await transactionsOf(group)).toEqual([
      {
        id: expect.any(String) as string,
        state: 'committed',
        kind: 'session',
        by_type: 'system',
        tags: expect.objectContaining({
          dir: 'a',
          pull_number: number,
          repo: `acme/${repository.name}`,
        }) as object,
      },
    ]);
  });

  /** A CI job with tokens of its own, and hooks that set secrets, exchange the job's identity and print all they have. */
  function aJobWithSecrets() {
    const place = mkdtempSync(join(home, 'secrets-'));
    const value = (name: string) => `${name}-${randomUUID()}`;
    const values = {
      variable: value('variable'),
      sourced: value('sourced'),
      identity: value('identity'),
      job: value('job'),
      pool: value('pool'),
      key: value('key'),
      request: value('request'),
      runtime: value('runtime'),
      modules: value('modules'),
    };
    writeFileSync(join(place, 'variable'), values.variable);
    writeFileSync(join(place, 'vars.sh'), `SOURCED_SECRET=${values.sourced}\n`);
    const watched = new WatchedPrograms(place, ['terraform', 'git', 'bash']);
    const hooks = `hooks:
  all:
    pre:
      - {type: env, name: TF_VAR_secret, cmd: [cat, '${join(place, 'variable')}'], sensitive: true}
      - {type: env, method: source, cmd: ['${join(place, 'vars.sh')}'], sensitive: true}
      - {type: env, name: CI_REGISTRY_PASSWORD, cmd: [printenv, MODULES_TOKEN], sensitive: true}
      - {type: oidc, provider: azure, client_id: c, tenant_id: t, subscription_id: s}
      - {type: run, cmd: [env], visible_on: always}
      - {type: run, cmd: [sh, -c, 'printf %s "$TF_VAR_secret$CI_JOB_TOKEN" | base64 -w 0'], visible_on: always}
`;
    const env = {
      ...watched.env,
      INFRASTATE_ID_TOKEN: values.identity,
      INFRASTATE_POOL_TOKEN: values.pool,
      INFRASTATE_API_KEY: values.key,
      CI_JOB_TOKEN: values.job,
      CI_REPOSITORY_URL: `https://gitlab-ci-token:${values.job}@gitlab.example/acme/infra.git`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: values.request,
      ACTIONS_RUNTIME_TOKEN: values.runtime,
      MODULES_TOKEN: values.modules,
    };
    return { values, watched, hooks, env };
  }

  /** Nothing has a secret that does not need it: programs, their arguments, files, and what people see. */
  async function expectSecretsKept(
    repository: HostedRepository,
    { values, watched }: ReturnType<typeof aJobWithSecrets>,
    output: string,
  ): Promise<void> {
    watched.end();
    const calls = watched.calls();
    const passwords = calls.flatMap(({ env }) => env['TF_HTTP_PASSWORD'] ?? []);
    const checkouts = service.hosting.github.tokens.flatMap(({ token, checkoutOf }) =>
      checkoutOf ? token : [],
    );
    const work = repository.dispatches().flatMap(({ inputs }) => inputs['work_token'] ?? []);
    // The run's token of the plan and of the apply, and the session's.
    expect(new Set(passwords).size).toBe(3);
    const secrets = [...Object.values(values), ...passwords, ...checkouts, ...work];
    const isIn = (text: string) =>
      secrets.some((secret) => formsOf(secret).some((form) => text.includes(form)));

    const holders = calls.flatMap(({ program, env }) =>
      Object.entries(env).flatMap(([name, value]) =>
        isIn(value) ? `${program} ${env['INFRASTATE_DIR'] ?? 'of the run'}: ${name}` : [],
      ),
    );
    const ofTheJob = [
      'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
      'ACTIONS_RUNTIME_TOKEN',
      'CI_JOB_TOKEN',
      'CI_REPOSITORY_URL',
      'INFRASTATE_ID_TOKEN',
    ];
    // A hook has handed on what terraform would not get otherwise.
    const ofTerraform = ['CI_REGISTRY_PASSWORD', 'MODULES_TOKEN', 'SOURCED_SECRET', 'TF_VAR_secret'];
    expect([...new Set(holders)].toSorted()).toEqual(
      [
        ...[...ofTheJob, 'MODULES_TOKEN', 'TF_VAR_secret'].map((name) => `bash of the run: ${name}`),
        ...['GIT_CONFIG_VALUE_8', 'MODULES_TOKEN'].map((name) => `git of the run: ${name}`),
        ...[...ofTerraform, 'TF_HTTP_PASSWORD'].map((name) => `terraform a: ${name}`),
        ...ofTerraform.map((name) => `terraform b: ${name}`),
      ].toSorted(),
    );
    expect([...calls.flatMap(({ args }) => args), ...watched.sampled()].filter(isIn)).toEqual([]);
    // Plan files hold values of variables, packed: Terraform needs them.
    const files = calls
      .flatMap((call) => [...call.files])
      .filter(([path]) => !/\/scratch\/dirspace-\d+\/plan$/.test(path));
    const named = files.flatMap(([path, bytes]) =>
      isIn(bytes.toString()) ? path.replace(/^[^/]*/, '') : [],
    );
    expect([...new Set(named)]).toEqual(['/scratch/azure-id-token']);
    expect(files.some(([path]) => path.endsWith('.git/config'))).toBe(true);
    const left = watched.left();
    expect([...left.keys()].filter((path) => path.startsWith('infrastate-'))).toEqual([]);
    expect([...left.values()].filter((bytes) => isIn(bytes.toString()))).toEqual([]);

    const { rows } = await service.pool.query<{ text: string }>(
      `SELECT payload::text AS text FROM work_manifest_payloads UNION ALL SELECT text FROM run_log_chunks`,
    );
    const shown = [output, service.output(), ...repository.comments(), ...rows.map(({ text }) => text)];
    expect(shown.join('\n')).toContain('SOURCED_SECRET=***');
    expect(shown.filter(isIn)).toEqual([]);
  }

  it('fails a directory whose state would be lost with the checkout', async () => {
    const repository = await aRepository({
      'a/main.tf': '',
      '.infrastate/config.yml': configuration(randomUUID(), '    mode: full\n'),
    });
    await repository.open('topic', { 'a/main.tf': resources({ one: 'x' }) });
    expect(await service.ciJob(repository, 0)).toEqual(failed);
    expect(await commentWith(repository, 'Plan failed')).toContain('backend "http"');
  });

  it('reaches no state that the base branch does not name and that its own runs did not create', async () => {
    const owned = randomUUID();
    await must(service.api, 'POST', `/tenants/${service.admin.tenantId}/states`, {
      as: service.admin.token,
      body: { name: 'somebody', group_id: owned },
    });
    const repository = await aRepository({ 'a/main.tf': '' });
    const number = await repository.open('topic', {
      'a/main.tf': resources({ one: 'x' }),
      '.infrastate/config.yml': configuration(owned),
    });
    expect(await service.ciJob(repository, 0)).toEqual(failed);
    expect(await commentWith(repository, 'Plan failed')).toContain('may not use the state group');
    expect(await transactionsOf(owned)).toEqual([]);
    // Once it stands on the base branch it may.
    repository.commit('main', { '.infrastate/config.yml': configuration(owned) });
    await repository.comment(number, 'infrastate plan');
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
  });

  it('has a token that opens its own states and transactions and nothing else', async () => {
    const [group, other] = [randomUUID(), randomUUID()];
    const { id: foreign } = await must<{ id: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/states`,
      { as: service.admin.token, body: { name: 'other', group_id: other } },
    );
    const { id: foreignTx } = await must<{ id: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/tx/create`,
      { as: service.admin.token, body: { state_schema_version: await schemaVersion(), tags: {} } },
    );
    const repository = await aRepository({
      'a/main.tf': '',
      '.infrastate/config.yml': configuration(group),
    });
    await repository.open('topic', { 'a/main.tf': resources({ one: 'x' }) });
    const { inputs } = await service.dispatch(repository, 0);
    const begun = await must<{ token: string }>(service.api, 'POST', '/runner/initiate', {
      as: inputs['work_token'] ?? '',
      body: { run_id: '1', nonce: 'n', runner: { version: '0.1.0', protocol: 1 } },
    });
    const as = begun.token;
    const { dirspaces, state_token: ofTerraform } = await must<{
      dirspaces: { state: { state_id: string } }[];
      state_token: string;
    }>(service.api, 'GET', '/runner/work', { as });
    const own = dirspaces[0]?.state.state_id ?? '';
    const status = async (method: string, path: string, body?: unknown) =>
      (await call(service.api, method, path, { as, ...(body === undefined ? {} : { body }) })).status;
    expect(await status('GET', `/states/${own}`)).toBe(200);
    expect(await status('GET', `/states/backend/${group}`)).toBe(200);
    // A plan writes nothing.
    expect(await status('POST', `/states/backend/${group}`, { version: 4 })).toBe(403);
    expect(await status('GET', `/states/${foreign}`)).toBe(404);
    expect(await status('GET', `/states/backend/${other}`)).toBe(403);
    expect(await status('POST', `/states/backend/${randomUUID()}`, { version: 4 })).toBe(403);
    for (const [method, path] of [
      ['GET', `/tx/${foreignTx}`],
      ['POST', `/tx/${foreignTx}/preview`],
      ['POST', `/tx/${foreignTx}/abort`],
      ['POST', `/tx/${foreignTx}/commit`],
    ] as const)
      expect(await status(method, path)).toBe(404);
    const made = await must<{ id: string; tags: Row }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/tx/create`,
      { as, body: { state_schema_version: await schemaVersion(), tags: { repo: 'forged', dir: 'a' } } },
    );
    expect(made.tags).toMatchObject({ repo: `acme/${repository.name}`, dir: 'a', pull_number: 1 });
    expect(await status('GET', `/tx/${made.id}`)).toBe(200);
    expect(await status('POST', `/tx/${made.id}/commit`)).toBe(403);
    // Every other route is closed to it: for the ids of its own tenant, a body that is wrong is not even looked at.
    const { rows } = await service.pool.query<Record<string, string>>(
      `SELECT i.id AS "installationCoreId", i.installation_id AS "installationId", r.provider_id AS "repoId",
              (SELECT id FROM work_manifests m WHERE m.repository_id = r.id) AS "workManifestId"
         FROM repositories r JOIN installations i ON i.id = r.installation_id WHERE r.id = $1`,
      [await service.repositoryId(repository)],
    );
    const ids: Record<string, string> = {
      ...rows[0],
      tenantId: service.admin.tenantId,
      stateId: foreign,
      groupId: other,
      txId: foreignTx,
      workspace: 'default',
      provider: 'github',
      pullNumber: '1',
      n: '0',
    };
    expect(await reachedAs(as, ids)).toEqual([
      'GET /api/v1/runner/work 200',
      'GET /api/v1/version 200',
      'POST /api/v1/runner/heartbeat 200',
      'POST /api/v1/runner/logs 400',
      'POST /api/v1/runner/results 400',
      'POST /api/v1/runner/steps 400',
      'POST /api/v1/tenants/{tenantId}/tx/create 400',
      'POST /api/v1/tx/session/create 201',
      'PUT /api/v1/runner/dirspaces/{n}/plan 204',
    ]);
    // The code of a plan can read this one: it names no credential, reports nothing, and stores no plan.
    expect(await reachedAs(ofTerraform, ids)).toEqual([]);
    expect((await call(service.api, 'GET', `/states/backend/${group}`, { as: ofTerraform })).status).toBe(
      200,
    );
    const writing = { as: ofTerraform, body: { version: 4 } };
    expect((await call(service.api, 'POST', `/states/backend/${group}`, writing)).status).toBe(403);
    // Without the user that it acts as, the run is told why it reaches nothing.
    const markUser = (deletedAt: string | null) =>
      service.pool.query(
        `UPDATE users SET deleted_at = $2 WHERE id = (SELECT system_user_id FROM installations WHERE id = $1)`,
        [rows[0]?.['installationCoreId'], deletedAt],
      );
    await markUser('2026-01-01');
    const without = await must<{ dirspaces: Row[] }>(service.api, 'GET', '/runner/work', { as });
    await markUser(null);
    expect(without.dirspaces).toEqual([
      expect.objectContaining({ dir: 'a', refusal: expect.stringContaining('was deleted') }),
    ]);
    expect(without.dirspaces[0]).not.toHaveProperty('state');
    await must(service.api, 'POST', '/runner/results', { as, body: { success: false, dirspaces: [] } });
    expect(await status('GET', `/states/${own}`)).toBe(404);
    expect(await status('GET', `/states/backend/${group}`)).toBe(403);
    expect((await call(service.api, 'GET', `/states/backend/${group}`, { as: ofTerraform })).status).toBe(
      403,
    );
  });

  /** Routes that answer a token with something else than that it may not. `ids`: values of path parameters. */
  async function reachedAs(token: string, ids: Record<string, string>): Promise<string[]> {
    const reached: string[] = [];
    for (const { method, path, isPublic } of describedRoutes) {
      if (isPublic) continue;
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ids['txId'] ?? '');
      const answer = await fetch(service.api.url + address, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      await answer.arrayBuffer();
      if (![401, 403, 404].includes(answer.status)) reached.push(`${method} ${path} ${answer.status}`);
    }
    return reached.toSorted();
  }

  async function schemaVersion(): Promise<number> {
    const { state_schema_version: version } = await must<{ state_schema_version: number }>(
      service.api,
      'GET',
      '/version',
      { as: service.admin.token },
    );
    return version;
  }
});
