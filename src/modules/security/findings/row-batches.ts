import type { UnitOfWork } from '../../../platform/database/index.js';

let opened = 0;

/**
 * The rows of one statement, a batch at a time, in the caller's transaction. One pass over the table whatever the planner
 * knows of it: pages by key are sorted anew for each page while a table that was filled just now has no statistics.
 */
export async function* rowBatches<Row extends object>(
  work: UnitOfWork,
  { sql, values, size }: { sql: string; values: readonly unknown[]; size: number },
): AsyncGenerator<Row[]> {
  opened += 1;
  const cursor = `row_batches_${opened}`;
  await work.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, values);
  let isDone = false;
  try {
    while (!isDone) {
      const rows = await work.query<Row>(`FETCH ${size} FROM ${cursor}`);
      isDone = rows.length < size;
      if (rows.length > 0) yield rows;
    }
  } finally {
    // After a failure the transaction is over, and the cursor with it.
    await work.query(`CLOSE ${cursor}`).catch(() => undefined);
  }
}
