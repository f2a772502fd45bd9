import fc from 'fast-check';
import type { Dirspace } from '../../repo-config/index.js';
import type { DirspaceProgress, DirspaceRun } from '../runs/run-progress.queries.js';
import { fenced, inlineText, plainText, runComment, type RunText } from './comment-text.rules.js';
import { commitStatuses } from './commit-status.rules.js';

const run = (fields: Partial<RunText>): RunText => ({
  id: '12345678-aaaa',
  runType: 'plan',
  state: 'completed',
  hooksFailed: false,
  error: undefined,
  dirspaces: [
    {
      dir: 'a',
      workspace: 'default',
      state: 'success',
      hasChanges: true,
      summary: { add: 1, change: 2, destroy: 0 },
    },
  ],
  steps: [],
  gates: [],
  waiting: [],
  holds: [],
  conflicts: [],
  runPage: 'https://service/run',
  ciRun: undefined,
  extras: [],
  ...fields,
});
const step = (text: string, more: object = {}) => ({
  step: 'tf/plan',
  state: 'success' as const,
  dir: 'a',
  workspace: 'default',
  subflow: null,
  payload: { text, ...more },
});

describe('the comment of a run', () => {
  it('shows the counts, folds a plan and unfolds a failure', () => {
    const comment = runComment(run({ steps: [step('the plan')] }), 65_536);
    expect(comment).toContain('`+1 ~2 -0`');
    expect(comment).toContain(
      '<details><summary>a (default): tf/plan</summary>\n\n```\nthe plan\n```\n\n</details>',
    );
    const failed = runComment(run({ steps: [{ ...step('boom'), state: 'failure' }] }), 65_536);
    expect(failed).toContain('**a (default): tf/plan failed**\n\n```\nboom\n```');
  });

  it('names who holds a directory since when, and offers no apply of what is held', () => {
    const hold = { dir: 'a', workspace: 'default', username: 'ada', createdAt: new Date(0) };
    const held = runComment(run({ holds: [{ ...hold, pullNumber: 7 }] }), 65_536);
    expect(held).toContain('`a` (`default`): held by #7 since 1970-01-01T00:00:00.000Z, apply begun by');
    expect(held).not.toContain('To apply');
    const drift = runComment(run({ holds: [{ ...hold, pullNumber: null, username: null }] }), 65_536);
    expect(drift).toContain('held by a run that reconciles drift since');
    const other = runComment(run({ holds: [{ ...hold, dir: 'b', pullNumber: 7 }] }), 65_536);
    expect(other).toContain('To apply');
  });

  it('shows the output of hooks as `visible_on` says, looking at the step itself', () => {
    const hook = (visible_on: string, state: 'success' | 'failure') =>
      runComment(
        run({ steps: [{ ...step(`${visible_on} output`, { visible_on }), step: 'run', state }] }),
        65_536,
      );
    expect(hook('always', 'success')).toContain('always output');
    expect(hook('failure', 'success')).not.toContain('failure output');
    expect(hook('failure', 'failure')).toContain('failure output');
    expect(hook('success', 'failure')).not.toContain('success output');
  });

  it('never lets output out of its block, whatever it prints', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('`', '~', '\n', 'a', '<', '/', '@', '\u001b', ' ') }),
        (text) => {
          const block = fenced(plainText(text));
          const [opening = ''] = block.split('\n', 1);
          const inner = block.split('\n').slice(1, -1);
          expect(inner.every((line) => !line.trimStart().startsWith(opening))).toBe(true);
        },
      ),
    );
  });

  it('says that a hook failed where nothing else did', () => {
    const plan = runComment(run({ hooksFailed: true }), 65_536);
    expect(plan).toContain('❌ Plan failed');
    expect(plan).toContain('this plan cannot be applied');
    expect(plan).not.toContain('To apply:');
    const apply = runComment(run({ runType: 'apply', hooksFailed: true }), 65_536);
    expect(apply).toContain('❌ Apply failed');
    expect(apply).toContain('Everything was applied');
  });

  it('stays within the limit with a closed fence, for one long line and for many directories', () => {
    const names = Array.from({ length: 30 }, (_, n) => `dir-${n}`);
    const comment = runComment(
      run({
        dirspaces: names.map((dir) => ({
          dir,
          workspace: 'default',
          state: 'success',
          hasChanges: true,
          summary: null,
        })),
        steps: names.map((dir) => ({ ...step('x'.repeat(500_000)), dir })),
      }),
      65_536,
    );
    expect(comment.length).toBeLessThanOrEqual(65_536);
    expect(comment.match(/^```/gm)?.length).toBe(60);
    expect(comment).toContain('[Run 12345678](https://service/run)');
  });

  it('removes escape codes, and neither mentions people nor refers to issues', () => {
    expect(plainText('\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u0000')).toBe('red link');
    expect(inlineText('@boss closes #1 <b>')).toBe('@\u200bboss closes #\u200b1 \\<b\\>');
  });
});

describe('the statuses of a commit', () => {
  const dirspace = (dir: string) => ({ dir, workspace: 'default' }) as Dirspace;
  const of = (state: DirspaceRun['state'], hasChanges: boolean | null = null) =>
    ({ state, hasChanges }) as DirspaceRun;
  const byKey = <Value>(values: Record<string, Value>) =>
    new Map(Object.entries(values).map(([dir, value]) => [JSON.stringify([dir, 'default']), value]));
  const statuses = (progress: Record<string, DirspaceProgress>, givenUp: Record<string, string> = {}) =>
    Object.fromEntries(
      commitStatuses(Object.keys(progress).map(dirspace), byKey(progress), byKey(givenUp)).map(
        ({ context, state }) => [context, state],
      ),
    );

  it('succeed when nothing is to be planned', () => {
    expect(statuses({})).toEqual({ 'infrastate plan': 'success', 'infrastate apply': 'success' });
  });

  it('have names that providers take, each its own, whatever the directory is called', () => {
    const long = 'd'.repeat(400);
    const odd = { 'new\nline\u001b[31m': undefined, [`${long}1`]: undefined, [`${long}2`]: undefined };
    const progress = Object.fromEntries(
      Object.keys(odd).map((dir) => [dir, { plan: of('success', false), apply: undefined }]),
    );
    const names = Object.keys(statuses(progress)).slice(2);
    expect(names[0]).toBe('infrastate plan: new line default');
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(255);
  });

  it('wait for applies of what has changes only', () => {
    expect(
      statuses({
        a: { plan: of('success', true), apply: undefined },
        b: { plan: of('success', false), apply: undefined },
      }),
    ).toEqual({
      'infrastate plan': 'success',
      'infrastate apply': 'pending',
      'infrastate plan: a default': 'success',
      'infrastate plan: b default': 'success',
    });
    expect(statuses({ a: { plan: of('success', true), apply: of('success') } })).toMatchObject({
      'infrastate apply': 'success',
      'infrastate apply: a default': 'success',
    });
  });

  it('fail with one failure, while others wait', () => {
    expect(
      statuses({ a: { plan: of('failure'), apply: undefined }, b: { plan: of('queued'), apply: undefined } }),
    ).toMatchObject({
      'infrastate plan': 'failure',
      'infrastate plan: b default': 'pending',
      'infrastate apply': 'pending',
    });
    expect(statuses({ a: { plan: of('success', true), apply: of('failure') } })).toMatchObject({
      'infrastate apply': 'failure',
    });
  });

  it('fail with a run that was given up, although it left nothing behind', () => {
    const none = { plan: undefined, apply: undefined };
    expect(statuses({ a: none }, { a: 'plan' })).toEqual({
      'infrastate plan': 'failure',
      'infrastate plan: a default': 'failure',
      'infrastate apply': 'pending',
    });
    expect(statuses({ a: { plan: of('success', true), apply: undefined } }, { a: 'apply' })).toMatchObject({
      'infrastate plan': 'success',
      'infrastate apply': 'failure',
      'infrastate apply: a default': 'failure',
    });
  });

  it.each([
    [true, 'pending'],
    [false, 'success'],
  ])('of an apply that was given up are replaced by a newer plan (changes: %s)', (hasChanges, state) => {
    const key = JSON.stringify(['a', 'default']);
    const progress = byKey({ a: { plan: of('success', hasChanges), apply: undefined } });
    const found = commitStatuses([dirspace('a')], progress, new Map(), new Set([key]));
    expect(found.find(({ context }) => context === 'infrastate apply: a default')?.state).toBe(state);
  });

  it('fail with a hook, though the directories succeeded', () => {
    const hooksFailed = (run: DirspaceRun): DirspaceRun => ({ ...run, hooksFailed: true });
    expect(statuses({ a: { plan: hooksFailed(of('success', false)), apply: undefined } })).toMatchObject({
      'infrastate plan': 'failure',
      'infrastate plan: a default': 'failure',
      'infrastate apply': 'pending',
    });
    expect(statuses({ a: { plan: of('success', true), apply: hooksFailed(of('success')) } })).toMatchObject({
      'infrastate plan': 'success',
      'infrastate apply': 'failure',
    });
  });

  it('stay pending for the apply of a directory that waits for another', () => {
    expect(
      statuses({
        a: { plan: of('success', true), apply: of('success') },
        b: { plan: undefined, apply: undefined },
      }),
    ).toMatchObject({ 'infrastate plan': 'success', 'infrastate apply': 'pending' });
  });
});
