import { runMigrations } from 'bullmq';
import { Client, ClientConfig } from 'pg';

/** Tables of BullMQ's PostgreSQL backend, in their own schema; it takes an advisory lock of its own. */
export async function migrateQueues(connection: ClientConfig): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
