import type { Pool, PoolClient } from 'pg';

export interface Held<T> {
  result: T;
  /** false when the action ended without meeting the lock */
  waited: boolean;
}

/**
 * Runs `action` while a connection of the test holds what `lock` locks. Once the action waits for it, `meanwhile` runs;
 * then the lock is released. What has to happen in between is so sure to happen in between, however slow the machine.
 */
export async function whileHeld<T>(
  pool: Pool,
  lock: { text: string; values?: unknown[] },
  { action, meanwhile }: { action: () => Promise<T>; meanwhile: (holder: PoolClient) => Promise<unknown> },
): Promise<Held<T>> {
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    let ended = false;
    const result = action().finally(() => (ended = true));
    let waited = false;
    while (!ended && !waited) waited = await isSomebodyBlockedBy(holder, pool);
    await meanwhile(holder);
    await holder.query('COMMIT');
    return { result: await result, waited };
  } finally {
    await holder.query('ROLLBACK').catch(() => undefined);
    holder.release();
  }
}

async function isSomebodyBlockedBy(holder: PoolClient, pool: Pool): Promise<boolean> {
  const [own] = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
  const { rows } = await pool.query(
    'SELECT FROM pg_stat_activity WHERE datname = current_database() AND $1 = ANY (pg_blocking_pids(pid))',
    [own?.pid],
  );
  return rows.length > 0;
}

/**
 * Kills a service while it waits for what `lock` locks, so that the step after the lock is surely not done. `begin`
 * starts what will wait. The lock is given back after the kill.
 */
export async function killWhileBlocked(
  { pool, kill9 }: { pool: Pool; kill9: () => Promise<void> },
  lock: { text: string; values?: unknown[] },
  begin: () => Promise<unknown>,
): Promise<void> {
  await actWhileBlocked(pool, lock, { begin, act: kill9 });
}

/** Acts once what `begin` started waits for what `lock` locks, and gives the lock back then. */
export async function actWhileBlocked(
  pool: Pool,
  lock: { text: string; values?: unknown[] },
  { begin, act }: { begin: () => Promise<unknown>; act: () => Promise<unknown> },
): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    await begin();
    for (const begun = Date.now(); !(await isSomebodyBlockedBy(holder, pool));)
      if (Date.now() - begun > 60_000) throw new Error('nothing waits for the lock');
    await act();
  } finally {
    await holder.query('ROLLBACK').catch(() => undefined);
    holder.release();
  }
}
