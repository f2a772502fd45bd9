import type { ClientConfig } from 'pg';
import { Config } from '../config/config.js';

/** Connection parameters shared by TypeORM, migrations and queues. */
export function connectionOf(config: Config): ClientConfig & { host: string; port: number } {
  return {
    host: config.get('DB_HOST'),
    port: config.get('DB_PORT'),
    user: config.get('DB_USER'),
    password: config.get('DB_PASS'),
    database: config.get('DB_NAME'),
  };
}
