import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { aKey, must } from '../support/identity.js';

const PLACES = ['gitlab', 'pool'] as const;
const CONFIG = '.infrastate/config.yml';

/** `run-states` does the same with GitHub's CI. */
describe.each(PLACES)('Runs whose states live here, at %s', (place) => {
  let service: HostedService;
  let home: string;
  let poolToken: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-places-'));
    service = await HostedService.start(home);
    const pool = await must<{ token: string }>(
      service.api,
      'POST',
      `/tenants/${service.admin.tenantId}/runner-pools`,
      { as: service.admin.token, body: { name: 'ours' } },
    );
    poolToken = pool.token;
  }, 240_000);
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const configured = (value: string) => `resource "terraform_data" "it" { input = "${value}" }\n`;

  async function aPlace(files: Record<string, string>, config: string) {
    const group = randomUUID();
    const run = place === 'pool' ? 'run: {on: pool, pool: ours}\n' : '';
    const repository = await service.repository(
      { ...files, [CONFIG]: `${run}${config.replaceAll('GROUP', group)}` },
      { provider: place === 'gitlab' ? 'gitlab' : 'github' },
    );
    repository.setRole('author', 'write');
    const content = async () =>
      JSON.stringify(await must(service.api, 'GET', `/states/backend/${group}`, { as: service.admin.token }));
    return { group, repository, content, job: aRunner(repository) };
  }

  /** What runs next: a job of the CI, or a machine of the pool. */
  function aRunner(repository: HostedRepository): () => Promise<void> {
    let jobs = 0;
    const isWaiting = async () => {
      const { rowCount } = await service.pool.query(
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND state = 'queued'`,
        [await service.repositoryId(repository)],
      );
      return rowCount !== 0;
    };
    return async () => {
      if (place === 'gitlab') {
        await service.ciJob(repository, jobs++);
        return;
      }
      await service.eventually('work', isWaiting);
      const env = { INFRASTATE_POOL_TOKEN: poolToken, INFRASTATE_API_BASE: service.api.url };
      await service.client(['runner', '--once'], env);
    };
  }

  const says = (repository: HostedRepository, text: string) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments().findLast((each) => each.includes(text)),
    );

  it('plan, apply and merge whole documents with mode full', async () => {
    const head = 'terraform {\n  backend "http" {}\n}\n';
    const { repository, content, job } = await aPlace(
      { 'a/main.tf': head },
      'dirs: {a: {state: {group_id: GROUP}, mode: full}}\n',
    );
    const number = await repository.open('topic', { 'a/main.tf': head + configured('whole') });
    await job();
    await says(repository, '`+1 ~0 -0`');
    await repository.comment(number, 'infrastate apply');
    await job();
    await says(repository, 'Apply succeeded');
    expect(await content()).toContain('"whole"');
    await repository.merge(number);
    const { rows } = await service.pool.query('SELECT FROM dirspace_holds WHERE repository_id = $1', [
      await service.repositoryId(repository),
    ]);
    expect(rows).toEqual([]);
  }, 300_000);

  it('are refused where a person applied in between, and plan again', async () => {
    const { group, repository, content, job } = await aPlace(
      { 'a/main.tf': '' },
      'dirs: {a: {state: {group_id: GROUP}}}\n',
    );
    const number = await repository.open('topic', { 'a/main.tf': configured('mine') });
    await job();
    await says(repository, 'Plan succeeded');
    const { rows } = await service.pool.query<{ id: string }>('SELECT id FROM states WHERE group_id = $1', [
      group,
    ]);
    const directory = mkdtempSync(join(home, 'person-'));
    writeFileSync(join(directory, 'main.tf'), configured('by hand'));
    const env = {
      INFRASTATE_API_BASE: service.api.url,
      INFRASTATE_API_KEY: await aKey(service.api, service.admin),
      INFRASTATE_TENANT_ID: service.admin.tenantId,
      INFRASTATE_STATE: rows[0]?.id ?? '',
      XDG_CACHE_HOME: join(directory, '.cache'),
    };
    expect((await service.client(['plan', '-out=by-hand.plan'], env, directory)).code).toBe(2);
    expect((await service.client(['apply', 'by-hand.plan'], env, directory)).code).toBe(0);
    await repository.comment(number, 'infrastate apply');
    await job();
    await says(repository, '`TX_CONFLICT`');
    expect(await content()).toContain('"by hand"');
    await job();
    await says(repository, '"by hand" -> "mine"');
    await repository.comment(number, 'infrastate apply');
    await job();
    await says(repository, 'Apply succeeded');
    expect(await content()).toContain('"mine"');
  }, 300_000);

  it('find drift of the default branch, and reconcile it', async () => {
    const { group, repository, content, job } = await aPlace(
      { 'a/main.tf': configured('as it should be') },
      'dirs: {a: {state: {group_id: GROUP}}}\ndrift: {enabled: true, schedules: {all: {schedule: hourly, reconcile: true}}}\n',
    );
    await repository.pushed();
    await job();
    await service.eventually('the first apply', async () => (await content()).includes('as it should be'));
    const document = JSON.parse(await content()) as { serial: number };
    const changed = JSON.stringify({ ...document, serial: document.serial + 1 });
    await must(service.api, 'POST', `/states/backend/${group}`, {
      as: service.admin.token,
      body: JSON.parse(changed.replaceAll('as it should be', 'changed by hand')) as object,
    });
    expect(await content()).toContain('changed by hand');
    const id = await service.repositoryId(repository);
    await service.pool.query('UPDATE drift_schedules SET next_at = now() WHERE repository_id = $1', [id]);
    await repository.pushed();
    await job();
    await service.eventually('the second apply', async () => !(await content()).includes('changed by hand'));
    expect(await content()).toContain('as it should be');
  }, 300_000);
});
