import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { LeftSessions } from '../../src/modules/orchestration/dispatching/left-sessions.job.js';
import { RunTransactions } from '../../src/modules/orchestration/runs/run-transactions.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { RunnerService } from '../../src/modules/orchestration/running/runner.service.js';
import { TransactionQueries, TransactionsService } from '../../src/modules/transactions/index.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

const MINUTE_MS = 60_000;

describe('The session that an apply with `mode: full` writes into', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let tenantId: string;
  let at: TestRepository;
  let now: Date;
  let audited: string[];
  let unclosable: string | undefined;
  const clock = { now: () => now };
  const done = { publish: async () => undefined } as never;

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
    tenantId = randomUUID();
    await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, tenantId]);
    at = await aRepository(database.pool, tenantId);
    now = new Date('2026-01-31T10:00:00Z');
    audited = [];
    unclosable = undefined;
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });

  afterEach(() => jest.restoreAllMocks());

  const runs = () => new Runs(work, clock, new Secrets(), done, new PullRequestsStore(work));
  function transactions(): RunTransactions {
    const audit = {
      record: async ({ action, objectId }: { action: string; objectId: string }) => {
        if (objectId === unclosable) throw new Error('cut');
        audited.push(`${action} ${objectId}`);
      },
    };
    const unused = {} as never;
    return new RunTransactions(
      work,
      new TransactionsService(work, new Secrets(), audit as never, done, unused, unused),
      clock,
    );
  }
  const sweep = () => new LeftSessions({ get: () => true } as never, transactions()).close({}, {} as never);

  /** An apply that began, and has ended so many minutes ago; null: it is running. */
  async function anApply(state: 'running' | 'aborted' | 'completed', minutesAgo = 0): Promise<string> {
    const dirs = [{ dir: 'a' }, { dir: 'b' }];
    const id = await aRun(database.pool, at, { runType: 'apply', state, dirs });
    const endedAt = state === 'running' ? null : new Date(now.getTime() - minutesAgo * MINUTE_MS);
    await database.pool.query(
      `UPDATE work_manifests SET started_at = created_at, completed_at = $2 WHERE id = $1`,
      [id, endedAt],
    );
    return id;
  }
  async function aSession(madeWith: string, { dir = 'a', isWritten = true } = {}): Promise<string> {
    const id = randomUUID();
    await database.pool.query(
      `INSERT INTO transactions (id, tenant_id, kind, state, made_with, tags, written_at)
       VALUES ($1, $2, 'session', 'open', $3, $4, $5)`,
      [id, tenantId, madeWith, { dir, workspace: 'default' }, isWritten ? now : null],
    );
    return id;
  }
  const statesOf = async (ids: readonly string[]) => {
    const { rows } = await database.pool.query<{ id: string; state: string }>(
      'SELECT id, state FROM transactions WHERE id = ANY ($1)',
      [ids],
    );
    return ids.map((id) => rows.find((row) => row.id === id)?.state);
  };

  it('is closed when nothing can write into it any more: its writes stay, an empty one is aborted', async () => {
    const lost = await anApply('aborted', 15);
    const [written, empty] = [
      await aSession(`run:${lost}`),
      await aSession(`run:${lost}`, { isWritten: false }),
    ];
    const completed = await aSession(`run:${await anApply('completed')}`);
    const removed = await aSession(`run:${randomUUID()}`);
    const kept = [
      await aSession(`run:${await anApply('running')}`),
      // Its token is good still: Terraform may outlive its runner and store what it has reached.
      await aSession(`run:${await anApply('aborted', 14)}`),
      await aSession(`key:${randomUUID()}`),
    ];
    await sweep();
    expect(await statesOf([written, empty, completed, removed])).toEqual([
      'committed',
      'aborted',
      'committed',
      'committed',
    ]);
    expect(await statesOf(kept)).toEqual(['open', 'open', 'open']);
    expect(audited.toSorted()).toEqual(
      [written, empty, completed, removed].map((id) => `tx.close ${id}`).toSorted(),
    );
    now = new Date(now.getTime() + MINUTE_MS);
    await sweep();
    expect(await statesOf(kept)).toEqual(['open', 'committed', 'open']);
  });

  it('is found behind more sessions of live runs than are read at once', async () => {
    await database.pool.query(
      `INSERT INTO transactions (id, tenant_id, kind, state, made_with, created_at)
       SELECT lpad(to_hex(n), 32, '0')::uuid, $1, 'session', 'open', $2, '2026-01-01' FROM generate_series(1, 2500) AS n`,
      [tenantId, `run:${await anApply('running')}`],
    );
    const left = await aSession(`run:${await anApply('aborted', 15)}`);
    await sweep();
    expect(await statesOf([left])).toEqual(['committed']);
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT count(*)::int FROM transactions WHERE tenant_id = $1 AND state = 'open'`,
      [tenantId],
    );
    expect(rows).toEqual([{ count: 2500 }]);
    await database.pool.query('DELETE FROM transactions WHERE tenant_id = $1', [tenantId]);
  });

  it('is closed although another one cannot be, and the failure is told', async () => {
    const madeWith = `run:${await anApply('aborted', 15)}`;
    const [first, broken, last] = [
      await aSession(madeWith),
      await aSession(madeWith),
      await aSession(madeWith),
    ].toSorted() as [string, string, string];
    unclosable = broken;
    await expect(sweep()).rejects.toThrow('1 of 3 transactions could not be ended');
    expect(await statesOf([first, broken, last])).toEqual(['committed', 'open', 'committed']);
    unclosable = undefined;
    await sweep();
    expect(await statesOf([broken])).toEqual(['committed']);
  });

  it('is closed by the next apply there, and stays open elsewhere', async () => {
    const lost = await anApply('aborted', 1);
    const sessions = [
      await aSession(`run:${lost}`),
      await aSession(`run:${lost}`, { dir: 'b' }),
      await aSession(`run:${await anApply('running')}`),
    ];
    await transactions().giveUpCommits(at.repository, [{ dir: 'a', workspace: 'default' }]);
    expect(await statesOf(sessions)).toEqual(['committed', 'open', 'open']);
  });

  it('is closed when the runner of an aborted run says that it has stopped', async () => {
    const cancelled = await anApply('aborted', 1);
    const [own, other] = [
      await aSession(`run:${cancelled}`),
      await aSession(`run:${await anApply('aborted', 1)}`),
    ];
    const unused = {} as never;
    const runner = new RunnerService(work, clock, unused, runs(), unused, unused, unused, transactions());
    const caller = { claims: { run: cancelled } } as never;
    await expect(runner.finish(caller, { success: false, dirspaces: [] })).rejects.toMatchObject({
      id: 'RUN_ENDED',
    });
    expect(await statesOf([own, other])).toEqual(['committed', 'open']);
  });

  it('is listed for the comment of the run while it is open, beside a plan that is committing', async () => {
    const lost = await anApply('aborted', 1);
    const madeWith = `run:${lost}`;
    const session = await aSession(madeWith);
    const committing = await aSession(madeWith, { dir: 'b' });
    const ended = await aSession(madeWith);
    await database.pool.query(`UPDATE transactions SET kind = 'plan', state = 'committing' WHERE id = $1`, [
      committing,
    ]);
    await database.pool.query(`UPDATE transactions SET state = 'committed' WHERE id = $1`, [ended]);
    const found = await new TransactionQueries(work, {} as never).listUnfinished([madeWith]);
    expect(found.map(({ id, kind, tags }) => ({ id, kind, dir: tags['dir'] }))).toEqual(
      [
        { id: session, kind: 'session', dir: 'a' },
        { id: committing, kind: 'plan', dir: 'b' },
      ].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    );
  });
});
