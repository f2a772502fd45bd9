import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { WorkManifestEntity } from '../../src/modules/orchestration/entities/work-manifest.entity.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import type { RunTokens } from '../../src/modules/orchestration/running/run-tokens.js';
import { RunnerService } from '../../src/modules/orchestration/running/runner.service.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun } from '../support/run-records.js';

describe('A runner that begins a run again because the answer was lost', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let id: string;
  const clock = { now: () => new Date('2026-01-31T10:00:00Z') };

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    const tenantId = randomUUID();
    await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, tenantId]);
    const at = await aRepository(database.pool, tenantId);
    id = await aRun(database.pool, at, { state: 'running' });
  });

  async function begin(runId: string, nonce: string): Promise<string> {
    const found = await work.manager.findOneByOrFail(WorkManifestEntity, { id });
    const tokens = {
      findByWorkToken: () => Promise.resolve(found),
      sign: () => Promise.resolve('token'),
      expiresAt: (from: Date) => from,
    } as unknown as RunTokens;
    const unused = {} as never;
    const runs = new Runs(work, clock, new Secrets(), unused, new PullRequestsStore(work));
    const config = { get: () => 120 } as never;
    const service = new RunnerService(work, clock, config, runs, tokens, unused, unused, unused);
    const runner = { version: '0.1.0', protocol: 1 };
    return (await service.initiate('work', { run_id: runId, nonce, runner })).token;
  }

  it.each([
    ['this release', 'nonce 42'],
    ['the release before, which stored the nonce alone', 'nonce'],
  ])('is the same one when it began with %s', async (_, stored) => {
    await database.pool.query(
      `UPDATE work_manifests SET run_nonce = $2, run_id = '42', work_token_hash = $3 WHERE id = $1`,
      [id, stored, randomBytes(32)],
    );
    expect(await begin('42', 'nonce')).toBe('token');
    await expect(begin('43', 'nonce')).rejects.toMatchObject({ id: 'RUN_ALREADY_STARTED' });
    await expect(begin('42', 'other')).rejects.toMatchObject({ id: 'RUN_ALREADY_STARTED' });
  });
});
