import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { authorityIn } from '../../src/modules/kv/kv-access.rules.js';
import type { KvNamespace } from '../../src/modules/kv/kv-namespaces.js';
import { KvRecordsStore } from '../../src/modules/kv/kv-records.store.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import {
  ALL_KEYS,
  askStore,
  CALLERS,
  modelOf,
  type ModelRows,
  type Step,
  stepOver,
} from '../support/kv-model.js';

describe('The records of the key-value store', () => {
  let database: TestDatabase;
  let source: DataSource;
  let store: KvRecordsStore;
  let run = 0;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    store = new KvRecordsStore(new UnitOfWork(source));
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const namespaceFor = (installationId: string, caller: number): KvNamespace => {
    const authority = authorityIn('github', installationId, CALLERS[caller] ?? []);
    if (!authority) throw new Error('no authority');
    return { provider: 'github', installationId, authority, tenantIds: undefined };
  };
  const ask = async (installationId: string, step: Step): Promise<unknown> =>
    askStore(store, namespaceFor(installationId, step.caller), step);

  /** The rows of a namespace as they are in the table. */
  const contents = async (installationId: string): Promise<string> => {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      `SELECT key, idx, data, version::int AS version, committed, read_caps AS read, write_caps AS write
         FROM kv_records WHERE installation_id = $1`,
      [installationId],
    );
    return canonical(rows);
  };
  const canonical = (rows: readonly object[]): string =>
    rows
      .map((row) => {
        const { key, idx, data, version, committed, read, write } = row as Record<string, unknown>;
        return JSON.stringify([key, idx, data, version, committed, read ?? null, write ?? null]);
      })
      .sort()
      .join('\n');

  it('answer random calls of several callers as a plain model does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepOver(ALL_KEYS), { minLength: 10, maxLength: 40 }), async (steps) => {
        const installationId = `run-${run++}`;
        let rows: ModelRows = [];
        for (const step of steps) {
          const expected = modelOf(rows, step);
          rows = expected.rows;
          expect(await ask(installationId, step)).toEqual(expected.answer);
          expect(await contents(installationId)).toBe(canonical(rows));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('answer concurrent calls as one after the other in some order', async () => {
    const batch = fc.array(stepOver(2), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 3, maxLength: 8 }), async (batches) => {
        const installationId = `run-${run++}`;
        let possible: ModelRows[] = [[]];
        for (const steps of batches) {
          const answers = await Promise.all(steps.map(async (step) => ask(installationId, step)));
          const outcomes = possible.flatMap((rows) => outcomesOf(rows, steps, answers));
          const found = await contents(installationId);
          possible = outcomes.filter((rows) => canonical(rows) === found).slice(0, 1);
          expect({ steps, answers, found, isPossible: possible.length > 0 }).toMatchObject({
            isPossible: true,
          });
        }
      }),
      { numRuns: 80 },
    );
  });
});

/** Contents after every order of the steps in which each gives the answer that it gave. */
function outcomesOf(rows: ModelRows, steps: readonly Step[], answers: readonly unknown[]): ModelRows[] {
  if (steps.length === 0) return [rows];
  return steps.flatMap((step, n) => {
    const next = modelOf(rows, step);
    if (JSON.stringify(next.answer) !== JSON.stringify(answers[n])) return [];
    return outcomesOf(
      next.rows,
      steps.filter((_, other) => other !== n),
      answers.filter((_, other) => other !== n),
    );
  });
}
