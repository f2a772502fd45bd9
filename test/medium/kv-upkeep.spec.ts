import { type INestApplicationContext, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app/app.module.js';
import { InstallationDeleted } from '../../src/modules/vcs/index.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Events } from '../../src/platform/events/index.js';
import { PinoLogger } from '../../src/platform/logging/index.js';
import { environmentOf, freshDatabase, type TestDatabase } from '../support/database.js';

describe('The records of a deleted installation', () => {
  let database: TestDatabase;
  const contexts: INestApplicationContext[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(new PinoLogger('silent'));
    database = await freshDatabase();
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await database.drop();
  });

  const start = async (role: 'api' | 'worker'): Promise<INestApplicationContext> => {
    const config = loadConfig({ SERVICE_UI_BASE: 'http://localhost', ...environmentOf(database) });
    const context = await NestFactory.createApplicationContext(AppModule.of(config, { role }), {
      abortOnError: false,
      logger: false,
    });
    contexts.push(context);
    return context;
  };

  const places = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ provider: string; installation_id: string; n: number }>(
      'SELECT provider, installation_id, count(*)::int AS n FROM kv_records GROUP BY 1, 2 ORDER BY 1, 2',
    );
    return rows.map(({ provider, installation_id, n }) => `${provider}/${installation_id}: ${n}`);
  };

  it.each(['api', 'worker'] as const)(
    'go with it in the same transaction, and with nothing else, in the %s process',
    async (role) => {
      const context = await start(role);
      const work = context.get(UnitOfWork, { strict: false });
      const events = context.get(Events, { strict: false });
      await database.pool.query('DELETE FROM kv_records');
      await database.pool.query(
        `INSERT INTO kv_records (provider, installation_id, key, idx, data, version, committed)
         SELECT provider, id, 'key ' || n, n, 'x', 0, true
           FROM unnest(ARRAY['github', 'gitlab']) AS provider, unnest(ARRAY['1', '2']) AS id,
                generate_series(0, 2) AS n`,
      );
      const deletion = new InstallationDeleted('github', '1');
      const failure = new Error('the deletion failed');
      const failed = work.run(async () => {
        await events.publish(deletion);
        throw failure;
      });
      await expect(failed).rejects.toBe(failure);
      expect(await places()).toEqual(['github/1: 3', 'github/2: 3', 'gitlab/1: 3', 'gitlab/2: 3']);
      await work.run(async () => events.publish(deletion));
      expect(await places()).toEqual(['github/2: 3', 'gitlab/1: 3', 'gitlab/2: 3']);
      await work.run(async () => events.publish(deletion));
      expect(await places()).toHaveLength(3);
    },
  );
});
