import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app/app.module.js';
import { ReportPartsRetention } from '../../src/modules/actuator/report-parts.job.js';
import { TaskRunner } from '../../src/modules/tasks/index.js';
import { IdlePlans } from '../../src/modules/transactions/steps/idle-plans.job.js';
import { TransactionSessions } from '../../src/modules/transactions/steps/transaction-sessions.service.js';
import { LostSteps } from '../../src/modules/transactions/steps/transaction-steps.job.js';
import { TransactionsService } from '../../src/modules/transactions/transactions.service.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { environmentOf, freshDatabase, type TestDatabase } from '../support/database.js';

const RUN = { id: 'run', attempt: 1, lastAttempt: true };

describe('The upkeep of transactions', () => {
  let database: TestDatabase;
  let context: INestApplicationContext;
  let tenantId: string;

  beforeAll(async () => {
    database = await freshDatabase();
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_PLAN_MAX_IDLE_DAYS: '7',
      ...environmentOf(database),
    });

    @Module({ imports: [AppModule.of(config, { role: 'worker' })] })
    class Composition {}

    context = await NestFactory.createApplicationContext(Composition, { logger: false, abortOnError: false });
    tenantId = randomUUID();
    await query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, 'upkeep']);
  });
  afterAll(async () => {
    await context.close();
    await database.drop();
  });

  const query = async <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
    (await database.pool.query<T>(sql, values)).rows;

  /** Begun so long ago. */
  async function aTransaction(kind: string, state: string, age: string, taskId?: string): Promise<string> {
    const id = randomUUID();
    await query(
      'INSERT INTO transactions (id, tenant_id, kind, state, created_at, task_id) VALUES ($1, $2, $3, $4, now() - $5::interval, $6)',
      [id, tenantId, kind, state, age, taskId ?? null],
    );
    return id;
  }

  async function aNotedTask(age: string): Promise<string> {
    const id = randomUUID();
    await query(
      `INSERT INTO tasks (id, kind, tenant_id, payload, created_at) VALUES ($1, 'noted', $2, '{}', now() - $3::interval)`,
      [id, tenantId, age],
    );
    return id;
  }

  /** What the transaction was given to read. */
  async function given(txId: string): Promise<void> {
    const [state] = await query<{ id: string }>(
      `INSERT INTO states (tenant_id, name, group_id, lineage) VALUES ($1, 'x', gen_random_uuid(), 'l') RETURNING id`,
      [tenantId],
    );
    await query(
      `INSERT INTO transaction_nodes (tx_id, state_id, key, access, address) VALUES ($1, $2, gen_random_uuid(), 'r', 'a.b')`,
      [txId, state?.id],
    );
  }

  const stateOf = async (txId: string) =>
    (await query<{ state: string }>('SELECT state FROM transactions WHERE id = $1', [txId]))[0]?.state;
  const taskOf = async (id: string) =>
    (
      await query<{ state: string; error: string | null }>('SELECT state, error FROM tasks WHERE id = $1', [
        id,
      ])
    )[0];
  const nodesOf = async (txId: string) =>
    (await query('SELECT FROM transaction_nodes WHERE tx_id = $1', [txId])).length;

  it('forgets what was read by those that are aborted or could not be planned, and keeps it for another attempt', async () => {
    const ends = [
      ['previewed', 'abort', 0],
      ['previewing', 'preview-failed', 0],
      ['committing', 'commit-failed', 1],
    ] as const;
    for (const [state, trigger, left] of ends) {
      const txId = await aTransaction('plan', state, '1 minute');
      await given(txId);
      const work = context.get(UnitOfWork);
      await work.run(() => context.get(TransactionsService).move(txId, trigger, undefined));
      expect([trigger, await nodesOf(txId)]).toEqual([trigger, left]);
    }
  });

  it('forgets what was read by those that ended before that was so', async () => {
    const left: Record<string, number> = {};
    const txIds: [string, string][] = [];
    for (const state of ['aborted', 'failed', 'failed-committed', 'previewed']) {
      const txId = await aTransaction('plan', state, '1 minute');
      await given(txId);
      txIds.push([state, txId]);
    }
    const migration = join(__dirname, '../../migrations/1763600040000-ended-nodes.sql');
    await query(readFileSync(migration, 'utf8'));
    for (const [state, txId] of txIds) left[state] = await nodesOf(txId);
    expect(left).toEqual({ aborted: 0, failed: 0, 'failed-committed': 1, previewed: 1 });
  });

  it('aborts plans that nobody has touched for long, and no other', async () => {
    const idle = [
      await aTransaction('plan', 'open', '8 days'),
      await aTransaction('plan', 'previewed', '8 days'),
    ];
    for (const txId of idle) await given(txId);
    const young = await aTransaction('plan', 'previewed', '6 days');
    const planned = await aTransaction('plan', 'previewed', '8 days');
    await query(
      `INSERT INTO transaction_plans (tx_id, has_changes, plan, plan_json) VALUES ($1, true, '', '{}')`,
      [planned],
    );
    const told = await aTransaction('plan', 'open', '8 days');
    await query(
      `INSERT INTO transaction_logs (tx_id, id, action, object_type, data, created_at)
       VALUES ($1, gen_random_uuid(), 'refresh', 'refresh', '{}', now() - interval '8 days'),
         ($1, gen_random_uuid(), 'refresh', 'refresh', '{}', now())`,
      [told],
    );
    const session = await aTransaction('session', 'open', '8 days');
    const done = await aTransaction('plan', 'committed', '8 days');
    await context.get(IdlePlans).end({}, RUN);
    for (const txId of idle) expect([await stateOf(txId), await nodesOf(txId)]).toEqual(['aborted', 0]);
    const others = [young, planned, told, session, done];
    expect(await Promise.all(others.map(stateOf))).toEqual([
      'previewed',
      'previewed',
      'open',
      'open',
      'committed',
    ]);
    expect(await query('SELECT action, data FROM audit_entries WHERE object_id = $1', [idle[0]])).toEqual([
      { action: 'tx.abort', data: { idle_days: 7 } },
    ]);
  });

  it('gives a runner 25 hours to report, also past the sweep of tasks that wait for nothing', async () => {
    const [early, late, unnamed] = [
      await aNotedTask('24 hours 50 minutes'),
      await aNotedTask('25 hours 10 minutes'),
      await aNotedTask('49 hours'),
    ];
    const inTime = await aTransaction('plan', 'committing', '25 hours', early);
    const lost = await aTransaction('plan', 'previewing', '26 hours', late);
    for (const task of [early, late])
      await query("INSERT INTO transaction_report_parts (task_id, idx, sealed) VALUES ($1, 0, '')", [task]);
    await context.get(TaskRunner).sweep({}, RUN);
    await context.get(LostSteps).end({}, RUN);
    await context.get(ReportPartsRetention).run({}, RUN);
    expect([await stateOf(inTime), await taskOf(early)]).toEqual([
      'committing',
      { state: 'pending', error: null },
    ]);
    expect([await stateOf(lost), await taskOf(late)]).toEqual([
      'failed',
      { state: 'failed', error: 'TIME_LIMIT' },
    ]);
    expect(await taskOf(unnamed)).toBeUndefined();
    expect(await query('SELECT task_id FROM transaction_report_parts')).toEqual([{ task_id: early }]);
  });

  /** Holds a transaction until somebody waits for it, and lets it go when it is changed. */
  async function heldWhile(txId: string, end: () => Promise<void>, sql: string, values: unknown[]) {
    const connection = await database.pool.connect();
    try {
      await connection.query('BEGIN');
      await connection.query('SELECT FROM transactions WHERE id = $1 FOR UPDATE', [txId]);
      const ended = end();
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await query(waiting)).length === 0);
      await connection.query(sql, values);
      await connection.query('COMMIT');
      await ended;
    } finally {
      connection.release();
    }
  }

  it('leaves a plan alone that somebody touches while it is to be aborted', async () => {
    const txId = await aTransaction('plan', 'open', '8 days');
    await heldWhile(
      txId,
      () => context.get(IdlePlans).end({}, RUN),
      `INSERT INTO transaction_logs (tx_id, id, action, object_type, data) VALUES ($1, gen_random_uuid(), 'refresh', 'refresh', '{}')`,
      [txId],
    );
    expect(await stateOf(txId)).toBe('open');
  });

  it('leaves a step alone that is tried again while it is to be ended', async () => {
    const [aborted, next] = [await aNotedTask('1 minute'), await aNotedTask('0')];
    await query("UPDATE tasks SET state = 'aborted' WHERE id = $1", [aborted]);
    const txId = await aTransaction('plan', 'committing', '1 minute', aborted);
    await heldWhile(
      txId,
      () => context.get(LostSteps).end({}, RUN),
      'UPDATE transactions SET task_id = $2 WHERE id = $1',
      [txId, next],
    );
    expect([await stateOf(txId), (await taskOf(next))?.state]).toEqual(['committing', 'pending']);
  });

  it('ends the others where one cannot be ended, and says that it failed', async () => {
    const groups = {
      steps: await Promise.all(
        [1, 2, 3].map(() => aTransaction('plan', 'previewing', '26 hours', randomUUID())),
      ),
      sessions: await Promise.all([1, 2, 3].map(() => aTransaction('session', 'open', '25 hours'))),
      plans: await Promise.all([1, 2, 3].map(() => aTransaction('plan', 'previewed', '9 days'))),
    };
    await query(`CREATE TABLE broken (id uuid PRIMARY KEY)`);
    await query('GRANT SELECT ON broken TO PUBLIC');
    await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT FROM broken WHERE id = NEW.id) THEN RAISE EXCEPTION 'out of order'; END IF; RETURN NEW; END $$`);
    await query('CREATE TRIGGER refuse BEFORE UPDATE ON transactions FOR EACH ROW EXECUTE FUNCTION refuse()');
    for (const [first] of Object.values(groups)) await query('INSERT INTO broken VALUES ($1)', [first]);
    const upkeep = {
      steps: () => context.get(LostSteps).end({}, RUN),
      sessions: () => context.get(TransactionSessions).closeAbandoned({}, RUN),
      plans: () => context.get(IdlePlans).end({}, RUN),
    };
    for (const end of Object.values(upkeep)) await expect(end()).rejects.toThrow('1 of');
    expect(await Promise.all(groups.steps.map(stateOf))).toEqual(['previewing', 'failed', 'failed']);
    expect(await Promise.all(groups.sessions.map(stateOf))).toEqual(['open', 'aborted', 'aborted']);
    expect(await Promise.all(groups.plans.map(stateOf))).toEqual(['previewed', 'aborted', 'aborted']);
  });
});
