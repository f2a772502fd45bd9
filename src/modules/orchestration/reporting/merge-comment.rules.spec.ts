import { dirspaceKey } from '../../repo-config/index.js';
import type { DirspaceProgress, DirspaceRun } from '../runs/run-progress.queries.js';
import { leftByMerge, mergeComment, unplannedComment } from './merge-comment.rules.js';

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
  isRetired: false,
  ...fields,
});

type List = 'unplanned' | 'planFailed' | 'unapplied' | 'failed';
const LISTS: List[] = ['unplanned', 'planFailed', 'unapplied', 'failed'];
const NOTHING = { unplanned: [], planFailed: [], unapplied: [], failed: [] };
const NONE: DirspaceProgress = { plan: undefined, apply: undefined };

describe('What a merge leaves behind', () => {
  it.each<[string, DirspaceProgress, string | undefined, List | undefined]>([
    ['a plan with changes', { plan: run(), apply: undefined }, undefined, 'unapplied'],
    ['a plan without changes', { plan: run({ hasChanges: false }), apply: undefined }, undefined, undefined],
    ['a plan that failed', { plan: run({ state: 'failure' }), apply: undefined }, undefined, 'planFailed'],
    ['an apply that succeeded', { plan: run(), apply: run() }, undefined, undefined],
    [
      'an apply after a plan that failed',
      { plan: run({ state: 'failure' }), apply: run() },
      undefined,
      undefined,
    ],
    ['an apply that failed', { plan: run(), apply: run({ state: 'failure' }) }, undefined, 'failed'],
    ['an apply that runs', { plan: run(), apply: run({ state: 'running' }) }, undefined, undefined],
    ['an apply that waits', { plan: run(), apply: run({ state: 'queued' }) }, undefined, undefined],
    ['an apply that was given up', { plan: run(), apply: undefined }, 'apply', 'failed'],
    ['an apply without a plan that was given up', NONE, 'apply', 'failed'],
    ['a newer plan that was given up', { plan: run(), apply: undefined }, 'plan', 'unapplied'],
    ['a plan that the merge ended', NONE, 'plan', 'unplanned'],
    ['no plan at all', NONE, undefined, 'unplanned'],
  ])('is told apart: %s', (_, progress, givenUpType, expected) => {
    const key = dirspaceKey(run());
    const left = leftByMerge({
      changed: [{ dir: 'a', workspace: 'default' }],
      progress: new Map(progress === NONE ? [] : [[key, progress]]),
      givenUp: new Map(givenUpType === undefined ? [] : [[key, givenUpType] as const]),
    });
    for (const list of LISTS) expect([list, left[list].length]).toEqual([list, list === expected ? 1 : 0]);
    expect(mergeComment(left) === undefined).toBe(expected === undefined);
    expect(unplannedComment(left) === undefined).toBe(expected !== 'unplanned');
  });

  it('is nothing where the pull request changes no directory', () => {
    const left = leftByMerge({ changed: [], progress: new Map(), givenUp: new Map() });
    expect([mergeComment(left), unplannedComment(left)]).toEqual([undefined, undefined]);
  });

  it('is said with what to do where plans are applied after the merge', () => {
    const text = unplannedComment({ unplanned: [run({ dir: 'x' })] });
    expect(text).toContain('`x` in workspace `default`');
    expect(text).toContain('Comment `infrastate plan` here');
  });

  it('is said with names that stay names', () => {
    const text = mergeComment({
      ...NOTHING,
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
