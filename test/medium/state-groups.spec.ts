import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase, type TestDatabase } from '../support/database.js';

const MIGRATION = join(__dirname, '..', '..', 'migrations', '1763600045000-state-group-claims.sql');

describe('The groups of states', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  async function aTenant(): Promise<string> {
    const { rows } = await database.pool.query<{ id: string }>(
      'INSERT INTO tenants (name) VALUES ($1) RETURNING id',
      [randomUUID()],
    );
    return rows[0]?.id ?? '';
  }

  async function aState(tenantId: string, groupId: string, age: number): Promise<void> {
    await database.pool.query(
      `INSERT INTO states (tenant_id, name, group_id, workspace, lineage, created_at)
       VALUES ($1, 'x', $2, $3, 'l', now() - make_interval(days => $4))`,
      [tenantId, groupId, randomUUID(), age],
    );
  }

  it('groups that a lock created without an owner belong to the tenant of their first state', async () => {
    const [one, two] = [await aTenant(), await aTenant()];
    const [unclaimed, stolen, plain] = [randomUUID(), randomUUID(), randomUUID()];
    await aState(one, unclaimed, 1);
    await aState(one, stolen, 2);
    await aState(two, stolen, 1);
    await aState(two, plain, 1);
    await database.pool.query('INSERT INTO state_groups VALUES ($1, $2), ($3, $2)', [stolen, two, plain]);
    await database.pool.query(readFileSync(MIGRATION, 'utf8'));
    const { rows } = await database.pool.query('SELECT group_id, tenant_id FROM state_groups');
    expect(new Map(rows.map(({ group_id: group, tenant_id: tenant }) => [group, tenant]))).toEqual(
      new Map([
        [unclaimed, one],
        [stolen, one],
        [plain, two],
      ]),
    );
  });
});
