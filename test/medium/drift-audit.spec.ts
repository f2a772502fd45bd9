import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { RepositoriesFound } from '../../src/modules/vcs/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aDriftWorker, Branch } from '../support/drift-worker.js';
import { aRepository } from '../support/run-records.js';

describe('The audit of drift schedules', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it.each([true, false])('has what they reconcile, by the system user: %s', async (reconcile) => {
    const [tenantId, user] = [randomUUID(), randomUUID()];
    const rowsOf = async <Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> =>
      (await database.pool.query<Row>(sql, [...values])).rows;
    await rowsOf('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, `drift ${tenantId}`]);
    await rowsOf(`INSERT INTO users (id, type, name) VALUES ($1, 'system', 'drift')`, [user]);
    const at = await aRepository(database.pool, tenantId);
    await rowsOf('UPDATE installations SET system_user_id = $2 WHERE id = $1', [at.installation, user]);
    const branch = new Branch();
    const config = `drift: {enabled: true, schedules: {all: {schedule: daily, reconcile: ${reconcile}}}}\n`;
    branch.files = { 'a/main.tf': '', '.infrastate/config.yml': config };
    const worker = aDriftWorker({
      source,
      branches: new Map([[at.repoId, branch]]),
      tenantId,
      now: () => new Date('2026-01-31T12:00:00Z'),
      enqueue: () => Promise.resolve(),
    });
    await worker.reading.found(new RepositoriesFound(at.installation));
    await worker.readUnread();
    await worker.sweep();
    const runs = await rowsOf<{ id: string; run_type: string }>(
      'SELECT id, run_type FROM work_manifests WHERE repository_id = $1',
      [at.repository],
    );
    expect(runs).toMatchObject([{ run_type: reconcile ? 'apply' : 'plan' }]);
    const recorded = {
      actor_id: user,
      action: 'drift.reconcile',
      object_id: at.repoId,
      schedule: 'all',
      runs: runs.map(({ id }) => id),
    };
    const audited = await rowsOf(
      `SELECT actor_id, action, object_id, data->>'schedule' AS schedule, data->'runs' AS runs
         FROM audit_entries WHERE tenant_id = $1`,
      [tenantId],
    );
    expect(audited).toEqual(reconcile ? [recorded] : []);
  });
});
