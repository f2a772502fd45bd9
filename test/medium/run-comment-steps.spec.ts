import type { DataSource } from 'typeorm';
import type { StepText } from '../../src/modules/orchestration/reporting/comment-text.rules.js';
import { runComment } from '../../src/modules/orchestration/reporting/run-comment.rules.js';
import { readShownSteps } from '../../src/modules/orchestration/reporting/step-texts.queries.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun } from '../support/run-records.js';

const LIMIT = 20_000;
const long = (text: string, length: number) => `${text}\n`.repeat(length / (text.length + 1));

describe('What the comment of a run reads of its steps', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const ofDirspace = (dir: string, step: string, payload: Record<string, unknown>) =>
    ({ step, state: 'success', dir, workspace: 'default', subflow: null, payload }) as const;
  const ofRun = (payload: Record<string, unknown>, state: StepText['state'] = 'success') =>
    ({ step: 'run', state, dir: null, workspace: null, subflow: 'post', payload }) as const;

  async function stored(steps: readonly StepText[]): Promise<string> {
    const id = await aRun(database.pool, await aRepository(database.pool, null));
    for (const [idx, { step, state, dir, workspace, subflow, payload }] of steps.entries()) {
      const scope = dir === null ? 'run' : 'dirspace';
      await database.pool.query(
        `INSERT INTO work_manifest_outputs (work_manifest_id, idx, step, state, scope, dir, workspace, flow, subflow)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [id, idx, step, state, scope, dir, workspace, dir === null ? 'hooks' : null, subflow],
      );
      await database.pool.query('INSERT INTO work_manifest_payloads VALUES ($1, $2, $3)', [
        id,
        idx,
        JSON.stringify(payload),
      ]);
    }
    return id;
  }

  const commentOf = (steps: readonly StepText[]) =>
    runComment(
      {
        id: '0',
        runType: 'plan',
        state: 'completed',
        hooksFailed: false,
        error: undefined,
        dirspaces: ['a', 'b', 'c'].map((dir) => ({
          dir,
          workspace: 'default',
          state: 'success',
          hasChanges: true,
          summary: null,
        })),
        steps,
        gates: [],
        waiting: [],
        holds: [],
        conflicts: [],
        unfinished: [],
        runPage: 'https://example.com/run',
        ciRun: undefined,
        extras: [],
      },
      LIMIT,
    );

  it('is enough for the same comment as all of it, and no more than a comment could show', async () => {
    const steps: StepText[] = [
      ofDirspace('a', 'tf/plan', {
        plan: long('a plan with 🧱', 400_000),
        text: 'not shown',
        has_changes: true,
      }),
      ofDirspace('b', 'tf/plan', { text: 'a short plan', format: { lang: 'diff' } }),
      ofDirspace('c', 'tf/plan', { plan: null, text: long('only text', 90_000) }),
      ofDirspace('c', 'run', { text: long('nobody sees this', 300_000) }),
      ofRun({ text: long('markdown', 30_000), format: 'markdown', visible_on: 'always' }),
      ofRun({ text: long('hidden', 300_000), visible_on: 'failure' }),
      ofRun({ text: 'failed', visible_on: 'failure' }, 'failure'),
      ofRun({ text: { no: 'text' }, visible_on: 'always' }),
    ];
    const read = await readShownSteps(new UnitOfWork(source), await stored(steps), LIMIT);
    expect(commentOf(read)).toBe(commentOf(steps));
    expect(commentOf(read)).toContain('a short plan');
    expect(commentOf(read)).not.toContain('nobody sees this');
    const lengths = read.map(({ payload }) => JSON.stringify(payload).length);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(5 * LIMIT);
  });

  it('is nothing of a run without steps', async () => {
    expect(await readShownSteps(new UnitOfWork(source), await stored([]), LIMIT)).toEqual([]);
  });
});
