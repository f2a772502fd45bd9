import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
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

  it('ends no transaction that its run has not begun, of whichever tenant', async () => {
    const as = service.admin.token;
    const { state_schema_version: version } = await must<{ state_schema_version: number }>(
      service.api,
      'GET',
      '/version',
      { as },
    );
    const other = await must<{ id: string }>(service.api, 'POST', '/tenants', { as, body: { name: 'other' } });
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
});
