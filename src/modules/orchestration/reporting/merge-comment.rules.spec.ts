import { dirspaceKey } from '../../repo-config/index.js';
import type { DirspaceProgress, DirspaceRun } from '../runs/run-progress.queries.js';
import { leftByMerge, mergeComment } from './merge-comment.rules.js';

const run = (fields: Partial<DirspaceRun> = {}): DirspaceRun => ({
  dir: 'a',
  workspace: 'default',
  runId: 'run',
  position: 0,
  state: 'success',
  hasChanges: true,
  hooksFailed: false,
  createdAt: new Date(0),
  completedAt: null,
  sayingAt: null,
  saidAt: null,
  isUsed: false,
  isOvertaken: false,
  ...fields,
});

describe('What a merge leaves behind', () => {
  it.each<[string, DirspaceProgress, string | undefined, 'unapplied' | 'failed' | undefined]>([
    ['a plan with changes', { plan: run(), apply: undefined }, undefined, 'unapplied'],
    ['a plan without changes', { plan: run({ hasChanges: false }), apply: undefined }, undefined, undefined],
    ['a plan that failed', { plan: run({ state: 'failure' }), apply: undefined }, undefined, undefined],
    ['an apply that succeeded', { plan: run(), apply: run() }, undefined, undefined],
    ['an apply that failed', { plan: run(), apply: run({ state: 'failure' }) }, undefined, 'failed'],
    ['an apply that runs', { plan: run(), apply: run({ state: 'running' }) }, undefined, undefined],
    ['an apply that waits', { plan: run(), apply: run({ state: 'queued' }) }, undefined, undefined],
    ['an apply that was given up', { plan: run(), apply: undefined }, 'apply', 'failed'],
    ['a newer plan that was given up', { plan: run(), apply: undefined }, 'plan', 'unapplied'],
  ])('is told apart: %s', (_, progress, givenUpType, expected) => {
    const key = dirspaceKey(run());
    const givenUp = new Map(givenUpType === undefined ? [] : [[key, givenUpType] as const]);
    const left = leftByMerge(new Map([[key, progress]]), givenUp);
    expect(left.unapplied).toHaveLength(expected === 'unapplied' ? 1 : 0);
    expect(left.failed).toHaveLength(expected === 'failed' ? 1 : 0);
    expect(mergeComment(left) === undefined).toBe(expected === undefined);
  });

  it('is said with names that stay names', () => {
    const text = mergeComment({
      unapplied: [run({ dir: 'x`\n# @all' })],
      failed: Array.from({ length: 102 }, (_, n) => run({ dir: `d${n}` })),
    });
    expect(text).not.toContain('\n# @all');
    expect(text?.indexOf('**Not applied**')).toBeLessThan(text?.indexOf('**Apply failed**') ?? 0);
    expect(text).toContain('`d99`');
    expect(text).not.toContain('`d100`');
    expect(text).toContain('and 2 more');
  });
});
