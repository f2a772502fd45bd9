import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { rounds } from '../support/endurance.js';
import { ACTORS, DIRS, PULLS, RunModel } from '../support/run-model.js';
import type { Action, Step } from '../support/run-model-parts.js';
import { anApiAlwaysPresent, aRepository } from '../support/run-records.js';

const repo = fc.nat({ max: 1 });
const pull = fc.constantFrom(...PULLS);
const n = fc.nat({ max: 5 });
const push = fc.record({
  do: fc.constant('push' as const),
  repo,
  pull,
  dirs: fc.subarray(DIRS, { minLength: 1 }),
});
const take = fc.record({ do: fc.constant('take' as const), place: fc.constantFrom('ci', 'pool') });
const begin = fc.record({ do: fc.constant('begin' as const), n });
const finish = fc.record({
  do: fc.constant('finish' as const),
  n,
  success: fc.boolean(),
  hasChanges: fc.boolean(),
  isTwice: fc.boolean(),
});
const drift = fc.record({
  do: fc.constant('drift' as const),
  repo,
  dirs: fc.subarray(DIRS, { minLength: 1 }),
  isReconciling: fc.boolean(),
});
const comment = <What extends string>(...what: What[]) =>
  fc.record({ do: fc.constantFrom(...what), repo, pull });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 7, arbitrary: push },
  {
    weight: 12,
    arbitrary: comment(
      ...(['plan', 'apply', 'apply', 'force', 'autoapprove', 'unlock', 'close', 'merge', 'again'] as const),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('plan', 'apply', 'apply', 'force', 'autoapprove'),
      repo,
      pull,
      only: fc.subarray(DIRS, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 3, arbitrary: comment('reopen') },
  { weight: 1, arbitrary: comment('late') },
  { weight: 6, arbitrary: take },
  { weight: 6, arbitrary: begin },
  { weight: 8, arbitrary: finish },
  { weight: 2, arbitrary: drift },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('fail', 'cancel'), n }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.constantFrom(1, 100, 200, 4000, 30_000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('together' as const),
      // What is said of one pull request comes one after the other: its row is locked, and the order decides the outcome.
      steps: fc.uniqueArray<Step, string>(
        fc.oneof(
          { weight: 5, arbitrary: take },
          { weight: 2, arbitrary: begin },
          { weight: 2, arbitrary: finish },
          { weight: 1, arbitrary: push },
          {
            weight: 4,
            arbitrary: comment(...(['plan', 'apply', 'apply', 'autoapprove', 'close', 'merge'] as const)),
          },
        ),
        { minLength: 2, maxLength: 6, selector: placeOf },
      ),
    }),
  },
);

/** Steps of the same place are not done at the same time; any number of takes are. */
function placeOf(step: Step): string {
  if ('pull' in step) return `${step.repo} ${step.pull}`;
  return step.do === 'take' ? randomUUID() : JSON.stringify(step);
}

describe('Runs of any order', () => {
  let database: TestDatabase;
  let sources: DataSource[];

  beforeAll(async () => {
    database = await freshDatabase();
    await anApiAlwaysPresent(database.pool);
    sources = await Promise.all(ACTORS.map(() => connectedSource(database)));
  });
  afterAll(async () => {
    for (const source of sources) await source.destroy();
    await database.drop();
  });

  async function aModel(): Promise<RunModel> {
    await database.pool.query('DELETE FROM installations');
    // What is held in a repository ends with it.
    expect((await database.pool.query('SELECT * FROM dirspace_holds')).rows).toEqual([]);
    const tenantId = randomUUID();
    await database.pool.query(`INSERT INTO tenants (id, name) VALUES ($1, $2)`, [tenantId, tenantId]);
    const repositories = [
      await aRepository(database.pool, tenantId),
      await aRepository(database.pool, tenantId, { provider: 'gitlab' }),
    ];
    return new RunModel(sources, database, repositories, tenantId);
  }

  it.each([true, false])(
    'end what waits to look for drift when an apply begins (reconciling: %s)',
    async (isReconciling) => {
      const model = await aModel();
      const steps: Action[] = [
        { do: 'push', repo: 0, pull: 1, dirs: ['a'] },
        { do: 'drift', repo: 0, dirs: ['a', 'b'], isReconciling },
        { do: 'drift', repo: 0, dirs: ['c'], isReconciling },
        { do: 'autoapprove', repo: 0, pull: 1 },
      ];
      for (const step of steps) {
        await model.act(step);
        await model.check();
      }
      const { rows } = await database.pool.query(
        `SELECT m.state, m.error_id, count(*)::int AS dirs FROM work_manifests m
         JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id WHERE m.kind = 'drift' GROUP BY m.id ORDER BY m.state`,
      );
      expect(rows).toEqual([
        { state: 'aborted', error_id: 'SUPERSEDED', dirs: 2 },
        { state: 'queued', error_id: null, dirs: 1 },
      ]);
      await model.drain();
    },
  );

  it('keep the plans of directories that an apply leaves out, and those of a pull request that is opened again', async () => {
    const model = await aModel();
    const of = { repo: 0, pull: 1 } as const;
    const run: Action[] = [
      { do: 'take', place: 'ci' },
      { do: 'begin', n: 0 },
      { do: 'finish', n: 0, success: true, hasChanges: true, isTwice: false },
    ];
    const steps: Action[] = [
      { do: 'push', ...of, dirs: ['a', 'b'] },
      ...run,
      { do: 'apply', ...of, only: ['a'] },
      ...run,
      { do: 'apply', ...of, only: ['b'] },
      ...run,
      { do: 'close', ...of },
      { do: 'reopen', ...of },
      ...run,
      { do: 'apply', ...of },
      ...run,
    ];
    for (const step of steps) {
      await model.act(step);
      await model.check();
    }
    const { rows } = await database.pool.query(
      `SELECT m.run_type, string_agg(d.dir, '' ORDER BY d.dir) AS dirs, m.state FROM work_manifests m
         JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id GROUP BY m.id ORDER BY m.created_at, m.id`,
    );
    const ended = (run_type: string, dirs: string) => ({ run_type, dirs, state: 'completed' });
    expect(rows).toEqual([
      ended('plan', 'ab'),
      ended('apply', 'a'),
      ended('apply', 'b'),
      ended('plan', 'ab'),
      ended('apply', 'ab'),
    ]);
  });

  it(
    'exclude each other, apply only what was planned, hold what they applied, and all come to an end',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 20, maxLength: 60 }), async (actions) => {
          const model = await aModel();
          for (const step of actions) {
            await model.act(step);
            await model.check();
          }
          await model.drain();
          await model.check();
        }),
        { numRuns: Number(process.env['RUN_MODEL_RUNS'] ?? rounds(12, 100)), endOnFailure: true },
      );
    },
    rounds(240_000, 3_600_000),
  );
});
