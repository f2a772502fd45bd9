import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';

/** A load balancer asks every few seconds; an answer later than this is as good as none. */
const PATIENCE_MS = 2_000;

/** Whether the database answers a trivial query in time; never throws. */
export async function databaseAnswers(source: DataSource): Promise<boolean> {
  const asked = source.query('SELECT 1').then(
    () => true,
    () => false,
  );
  return Promise.race([asked, delay(PATIENCE_MS, false, { ref: false })]);
}
