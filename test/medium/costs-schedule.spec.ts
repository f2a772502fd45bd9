import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { type INestApplicationContext, Logger, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AppModule as Application } from '../../src/app/app.module.js';
import type { BillingSchedule as Schedule } from '../../src/modules/billing/syncing/billing-schedule.job.js';
import type { PricingJobs as Pricing } from '../../src/modules/costs/upkeep/price-states.job.js';
import type { TaskRunner as Runner } from '../../src/modules/tasks/task-runner.job.js';
import type { loadConfig as load } from '../../src/platform/config/index.js';
import type { PinoLogger as PlainLogger } from '../../src/platform/logging/index.js';
import type { JobRun } from '../../src/platform/queue/index.js';
import type { Clock as Time } from '../../src/platform/time/clock.js';
import { aLine, BillFolder, focusCsv } from '../support/billing.js';
import { environmentOf, freshDatabase, type TestDatabase } from '../support/database.js';

// As built: bills are read by a process whose file exists only there.
const built = createRequire(__filename);
const { AppModule } = built('../../dist/app/app.module.js') as { AppModule: typeof Application };
const { BillingSchedule } = built('../../dist/modules/billing/syncing/billing-schedule.job.js') as {
  BillingSchedule: Type<Schedule>;
};
const { PricingJobs } = built('../../dist/modules/costs/upkeep/price-states.job.js') as {
  PricingJobs: Type<Pricing>;
};
const { TaskRunner } = built('../../dist/modules/tasks/task-runner.job.js') as { TaskRunner: Type<Runner> };
const { loadConfig } = built('../../dist/platform/config/index.js') as { loadConfig: typeof load };
const { PinoLogger } = built('../../dist/platform/logging/index.js') as { PinoLogger: typeof PlainLogger };
const { Clock } = built('../../dist/platform/time/clock.js') as { Clock: typeof Time };

const HOUR_MS = 3_600_000;
const RUN = { lastAttempt: false } as JobRun;

describe('What costs and bills do by the clock', () => {
  let now = new Date('2026-03-30T22:00:00Z');
  let folder: BillFolder;
  let database: TestDatabase;
  let context: INestApplicationContext;
  let schedule: Schedule;
  beforeAll(async () => {
    Logger.overrideLogger(new PinoLogger('silent'));
    folder = await BillFolder.create();
    database = await freshDatabase();
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      SERVICE_COST_ENABLED: 'true',
      SERVICE_BILLING_FILE_ROOT: folder.root,
      ...environmentOf(database),
    });
    const application = AppModule.of(config, { role: 'worker' });
    context = await NestFactory.createApplicationContext(application, { abortOnError: false, logger: false });
    context.get(Clock).now = () => new Date(now);
    schedule = context.get(BillingSchedule);
  });
  afterAll(async () => {
    await context.close();
    await database.drop();
    await folder.remove();
  });

  const later = (hours: number): void => {
    now = new Date(now.getTime() + hours * HOUR_MS);
  };
  const query = async <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
    (await database.pool.query<T>(sql, values)).rows;

  async function aTenant(): Promise<string> {
    const id = randomUUID();
    await query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [id, `tenant ${id}`]);
    return id;
  }

  interface NewSource {
    name: string;
    isEnabled?: boolean;
  }
  async function aSource(tenantId: string, { name, isEnabled = true }: NewSource): Promise<string> {
    const id = randomUUID();
    await query(
      `INSERT INTO billing_sources (id, tenant_id, provider, source_uri, window_months, enabled, named_by_operator, created_at, updated_at)
       VALUES ($1, $2, 'aws', $3, 2, $4, true, $5, $5)`,
      [id, tenantId, `file://${folder.root}/${name}`, isEnabled, now],
    );
    return id;
  }

  /** Tasks of a source, oldest first. */
  const tasksOf = (sourceId: string): Promise<{ id: string; state: string }[]> =>
    query(`SELECT id, state FROM tasks WHERE payload->>'source_id' = $1 ORDER BY created_at, id`, [sourceId]);

  async function workOff(): Promise<void> {
    const waiting = await query<{ id: string }>(`SELECT id FROM tasks WHERE state = 'pending'`);
    for (const { id } of waiting) await context.get(TaskRunner).run({ taskId: id }, RUN);
  }

  const billedByMonth = (sourceId: string): Promise<{ month: string; cost: string }[]> =>
    query(
      `SELECT to_char(charge_date, 'YYYY-MM') AS month, trim_scale(sum(billed_cost))::text AS cost FROM billing_rows
       WHERE source_id = $1 GROUP BY 1 ORDER BY 1`,
      [sourceId],
    );

  it('syncs an enabled source once a day, each time for the window that ends then', async () => {
    const tenantId = await aTenant();
    const bill = (cost: string): Promise<string> =>
      folder.write(
        'month.csv',
        focusCsv(
          ['2026-02-27', '2026-03-29', '2026-04-01'].map((day) =>
            aLine({ BilledCost: cost, ChargePeriodStart: `${day}T00:00:00Z` }),
          ),
        ),
      );
    await bill('1');
    const daily = await aSource(tenantId, { name: 'month.csv' });
    const byHand = await aSource(tenantId, { name: 'by-hand.csv', isEnabled: false });

    // Two workers look at the same time.
    await Promise.all([schedule.run({}, RUN), schedule.run({}, RUN)]);
    expect(await tasksOf(daily)).toMatchObject([{ state: 'pending' }]);
    await workOff();
    expect(await tasksOf(daily)).toMatchObject([{ state: 'completed' }]);
    expect(await billedByMonth(daily)).toEqual([
      { month: '2026-02', cost: '1' },
      { month: '2026-03', cost: '1' },
      { month: '2026-04', cost: '1' },
    ]);

    await bill('5');
    later(23);
    await schedule.run({}, RUN);
    expect(await tasksOf(daily)).toHaveLength(1);
    later(1);
    await schedule.run({}, RUN);
    await schedule.run({}, RUN);
    expect(await tasksOf(daily)).toHaveLength(2);
    await workOff();
    expect(await billedByMonth(daily)).toMatchObject([{ cost: '5' }, { cost: '5' }, { cost: '5' }]);

    // In April the window of two months begins with March: what was loaded of February stays.
    await bill('7');
    later(24);
    expect(now.toISOString()).toContain('2026-04-01');
    await schedule.run({}, RUN);
    await workOff();
    expect(await billedByMonth(daily)).toEqual([
      { month: '2026-02', cost: '5' },
      { month: '2026-03', cost: '7' },
      { month: '2026-04', cost: '7' },
    ]);
    expect(await tasksOf(byHand)).toEqual([]);
  });

  it('starts no second sync while one waits, and a new one a day after one was lost', async () => {
    const tenantId = await aTenant();
    await folder.write('lost.csv', focusCsv([aLine({ ChargePeriodStart: '2026-03-29T00:00:00Z' })]));
    const source = await aSource(tenantId, { name: 'lost.csv' });
    await schedule.run({}, RUN);
    later(24);
    await schedule.run({}, RUN);
    const [task, ...others] = await tasksOf(source);
    expect([task?.state, others]).toEqual(['pending', []]);
    // As the sweep of tasks does when the worker is killed with the last attempt.
    await query(`UPDATE tasks SET state = 'failed', finished_at = now() WHERE id = $1`, [task?.id]);
    await schedule.run({}, RUN);
    await workOff();
    const status = await query('SELECT last_status, last_error FROM billing_sources WHERE id = $1', [source]);
    expect(await tasksOf(source)).toMatchObject([{ state: 'failed' }, { state: 'completed' }]);
    expect(status).toEqual([{ last_status: 'ok', last_error: null }]);
  });

  it('keeps every snapshot while SERVICE_COST_SNAPSHOTS_KEEP_DAYS is 0', async () => {
    const tenantId = await aTenant();
    const [state] = await query<{ id: string }>(
      `INSERT INTO states (tenant_id, name, group_id, lineage) VALUES ($1, 'a state', $2, 'one') RETURNING id`,
      [tenantId, randomUUID()],
    );
    const jobs = context.get(PricingJobs);
    const snapshots = async () =>
      (await query(`SELECT seq FROM cost_snapshots WHERE state_id = $1 ORDER BY seq`, [state?.id])).length;
    for (let version = 1; version <= 6; version++) {
      await query('UPDATE states SET version = $2 WHERE id = $1', [state?.id, version]);
      await jobs.sweep({}, RUN);
      later(8);
    }
    expect(await snapshots()).toBe(6);
    later(24 * 1_000);
    await jobs.thin({}, RUN);
    expect(await snapshots()).toBe(6);
  });
});
