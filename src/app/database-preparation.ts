import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Config } from '../platform/config/index.js';
import { connectionOf, DatabaseTooOld, isDatabaseUnavailable, migrate } from '../platform/database/index.js';
import { migrateQueues } from '../platform/queue/index.js';
import { StartError } from './lifecycle.js';

const RETRY_MS = 500;

/** Migrates the service's tables and, when queues live in PostgreSQL, theirs; waits for a database that is coming up. */
export async function prepareDatabase(config: Config, stopping: AbortSignal): Promise<string[]> {
  const logger = new Logger('Migrations');
  const connection = connectionOf(config);
  for (let attempt = 0; ; attempt += 1) {
    stopping.throwIfAborted();
    try {
      const { applied } = await migrate(connection);
      if (config.get('SERVICE_REDIS_URL') === undefined) await migrateQueues(connection);
      if (applied.length > 0) logger.log({ msg: 'migrations applied', applied });
      return applied;
    } catch (error) {
      if (error instanceof DatabaseTooOld) throw new StartError(error.message);
      const code = codeOf(error);
      if (code === '28P01' || code === '28000' || code === '3D000') {
        throw new StartError(`the database refuses DB_USER, DB_PASS or DB_NAME: ${(error as Error).message}`);
      }
      if (!isDatabaseUnavailable(error)) throw error;
      if (attempt % 20 === 0) logger.warn({ msg: 'the database cannot be reached yet', code });
    }
    await delay(RETRY_MS, undefined, { signal: stopping });
  }
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  // A host name with several addresses fails with one error per address.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
