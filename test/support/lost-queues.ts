import type { Pool } from 'pg';

/**
 * Empties the queues of a worker that was killed, as when their server is lost with it. What the next worker finds by
 * itself must be enough, and it looks at once: no test waits for the lock of a killed worker's job to end.
 */
export async function loseQueues(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM bullmq.job');
  await pool.query('DELETE FROM bullmq.scheduler');
}
