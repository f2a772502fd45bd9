import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostedRepository, WORKFLOW } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';
import { must } from '../support/identity.js';

describe('A runner that does what it must not', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-guards-'));
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

  async function begun(
    repository: HostedRepository,
    n: number,
    fields: Record<string, unknown> = {},
  ): Promise<PlayedRunner> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate(fields);
    return runner;
  }

  async function rowsOf<Row extends object>(repository: HostedRepository, sql: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(sql, [await service.repositoryId(repository)]);
    return rows;
  }

  const reported = (repository: HostedRepository) =>
    service.eventually('the report', async () => {
      const rows = await rowsOf(
        repository,
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND state IN ('completed', 'aborted') AND reported_at IS NULL`,
      );
      return rows.length === 0;
    });

  /** The nth run is a plan with changes; until its comment stands. */
  async function planResults(repository: HostedRepository, n: number): Promise<void> {
    const runner = await begun(repository, n);
    await runner.plan('the plan');
    await runner.results({ has_changes: true });
    await reported(repository);
  }

  /** The newest upload of a plan file, once it is another one than `before`. */
  const uploadAfter = (repository: HostedRepository, before: string | null): Promise<string> =>
    service.eventually('an upload', async () => {
      const [row] = await rowsOf<{ id: string | null }>(
        repository,
        'SELECT plan_upload_id AS id FROM work_manifest_dirspaces WHERE repository_id = $1',
      );
      return row?.id !== null && row?.id !== before && row?.id;
    });

  const partsOf = async (repository: HostedRepository): Promise<number> =>
    (
      await rowsOf(
        repository,
        'SELECT 1 FROM plan_file_parts p JOIN work_manifests m ON m.id = p.work_manifest_id WHERE repository_id = $1',
      )
    ).length;

  it('ends no transaction that its run has not begun, of whichever tenant', async () => {
    const as = service.admin.token;
    const { state_schema_version: version } = await must<{ state_schema_version: number }>(
      service.api,
      'GET',
      '/version',
      { as },
    );
    const other = await must<{ id: string }>(service.api, 'POST', '/tenants', {
      as,
      body: { name: 'other' },
    });
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    for (const [n, tenantId] of [other.id, service.admin.tenantId].entries()) {
      const { id } = await must<{ id: string }>(service.api, 'POST', `/tenants/${tenantId}/tx/create`, {
        as,
        body: { state_schema_version: version, tags: {} },
      });
      const runner = await begun(repository, n);
      await runner.plan('the plan');
      await runner.results({ has_changes: true, transaction_id: id });
      await reported(repository);
      const named = await rowsOf(
        repository,
        'SELECT 1 FROM work_manifest_dirspaces WHERE repository_id = $1 AND transaction_id IS NOT NULL',
      );
      expect(named).toEqual([]);
      // As if a release that stored every id had stored it.
      await rowsOf(
        repository,
        `UPDATE work_manifest_dirspaces SET transaction_id = '${id}' WHERE repository_id = $1 AND state = 'success'`,
      );
      await repository.comment(number, 'infrastate plan');
      await service.dispatch(repository, n + 1);
      const { rows } = await service.pool.query('SELECT state FROM transactions WHERE id = $1', [id]);
      expect(rows).toEqual([{ state: 'open' }]);
      await rowsOf(
        repository,
        'UPDATE work_manifest_dirspaces SET transaction_id = NULL WHERE repository_id = $1',
      );
    }
  });

  it('begins no apply at a commit that came after it was asked for', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await planResults(repository, 0);
    await repository.open('other', { 'a/main.tf': '# other' });
    const other = await begun(repository, 1);
    await repository.comment(number, 'infrastate apply');
    const approved = repository.sha('topic');
    // The webhook of this push has not arrived yet.
    const pushed = repository.commit('topic', {
      '.github/workflows/infrastate.yml': `${WORKFLOW}# another\n`,
    });
    await other.results({ has_changes: true });
    const text = await service.eventually('the comment', () =>
      repository.comments(number).find((each) => each.includes('Apply aborted')),
    );
    expect(text).toContain('`SUPERSEDED`');
    expect(text).toContain(
      `asked for at ${approved.slice(0, 12)}, and the branch is at ${pushed.slice(0, 12)}`,
    );
    await reported(repository);
    expect(repository.dispatches()).toHaveLength(2);
    expect(await rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1')).toEqual([]);
  });

  it('stores no plan file that ends after the run has', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const runner = await begun(repository, 0);
    await runner.plan('the plan that people read');
    const late = runner.beginPlan('another ');
    await uploadAfter(repository, await uploadAfter(repository, null));
    await runner.results({ has_changes: true });
    await reported(repository);
    late.end('plan');
    expect(await late.status).toBe(409);
    await repository.comment(number, 'infrastate apply');
    const apply = await begun(repository, 1);
    expect(await apply.readPlan()).toBe('the plan that people read');
    expect(await partsOf(repository)).toBe(1);
  });

  it('keeps no connection to the database while a plan file arrives, and one upload at a time', async () => {
    const repository = await aRepository();
    await repository.open('topic', { 'a/main.tf': '#' });
    const runner = await begun(repository, 0);
    const uploads: ReturnType<PlayedRunner['beginPlan']>[] = [];
    let last: string | null = null;
    // More than an API process has connections.
    for (let n = 0; n < 24; n++) {
      uploads.push(runner.beginPlan('the '));
      last = await uploadAfter(repository, last);
    }
    await runner.send('POST', 'heartbeat');
    for (const upload of uploads) upload.end('plan');
    const answers = await Promise.all(uploads.map(({ status }) => status));
    expect(answers).toEqual([...Array.from({ length: 23 }, () => 409), 204]);
    expect(await partsOf(repository)).toBe(1);
    await runner.results({ has_changes: true });
    await reported(repository);
  });
});
