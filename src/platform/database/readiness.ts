import type { DataSource } from 'typeorm';
import { withDeadline } from '../time/deadline.js';

/** A load balancer asks every few seconds, and counts a later answer as none. */
const TIMEOUT_MS = 2_000;

/** Whether the database answers a trivial query in time; never throws. */
export async function databaseAnswers(source: DataSource): Promise<boolean> {
  const asked = source.query('SELECT 1').then(
    () => true,
    () => false,
  );
  return withDeadline(asked, TIMEOUT_MS, () => false);
}
