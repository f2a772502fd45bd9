import fc from 'fast-check';
import type { Dirspace } from '../../repo-config/index.js';
import type { DirspaceProgress, DirspaceRun } from '../runs/run-progress.queries.js';
import { inlineText, plainText } from '../planning/inline-text.rules.js';
import { fenced, shortened } from './comment-text.rules.js';
import { runComment, type RunText } from './run-comment.rules.js';
import { commitStatuses, MAX_OWN_STATUSES } from './commit-status.rules.js';

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
  unfinished: [],
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

const GITHUB_LIMIT = 65_536;

/** A run over many directories, each with a plan. */
function manyDirspaces(count: number, text: (n: number) => string): RunText {
  const names = Array.from({ length: count }, (_, n) => `env/service-${n}`);
  return run({
    dirspaces: names.map((dir) => ({
      ...{ dir, workspace: 'default', state: 'success', hasChanges: true },
      summary: { add: 1, change: 2, destroy: 0 },
    })),
    steps: names.map((dir, n) => ({ ...step(text(n)), dir })),
  });
}

/** Whether every fence and every `<details>` outside of fences is closed, as CommonMark reads them. */
function isClosed(comment: string): boolean {
  let open = '';
  let depth = 0;
  for (const line of comment.split('\n')) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open !== '') {
      if (fence.startsWith(open) && fence[0] === open[0] && rest.trim() === '') open = '';
    } else if (fence !== '' && !(fence[0] === '`' && rest.includes('`'))) open = fence;
    else if (line.startsWith('<details>')) depth += 1;
    else if (line === '</details>') depth -= 1;
    if (depth < 0 || depth > 1) return false;
  }
  return open === '' && depth === 0;
}

describe('the comment of a run', () => {
  it('names the transactions that an aborted apply left, and what ends them', () => {
    const left = { dir: 'a', workspace: 'default' };
    const comment = runComment(
      run({
        runType: 'apply',
        state: 'aborted',
        error: { id: 'RUN_LOST', data: 'its runner fell silent' },
        unfinished: [
          { ...left, id: 'tx-1', kind: 'plan' },
          { ...left, dir: 'b', id: 'tx-2', kind: 'session' },
        ],
      }),
      GITHUB_LIMIT,
    );
    expect(comment).toContain('comment `infrastate unlock`');
    expect(comment).toContain('- `a` (`default`): transaction `tx-1` is still committing');
    expect(comment).toContain(
      '- `b` (`default`): transaction `tx-2` contains the state that the apply has stored',
    );
  });

  it.each([
    ['WORKFLOW_NOT_FOUND', 'plan', ['infrastate ci github', '`run.workflow`', 'comment `infrastate plan`']],
    [
      'DISPATCH_REFUSED',
      'apply',
      ['`actions: write`', 'merge the default branch', 'comment `infrastate apply`'],
    ],
    ['GITLAB_INPUTS_MISSING_DEFAULTS', 'plan', ['infrastate ci gitlab', '`spec:`']],
    ['DISPATCH_FAILED', 'plan', ['Try again']],
    ['RUN_NOT_STARTED', 'plan', ['the queue of the CI']],
    ['RUN_LOST', 'apply', ['log of the CI run', 'comment `infrastate unlock`']],
    ['UNLINKED', 'plan', ['Link the installation']],
  ])('says what to change after %s', (id, runType, texts) => {
    const error = { id, data: 'the words of the provider' };
    const comment = runComment(run({ runType, state: 'aborted', error, dirspaces: [] }), GITHUB_LIMIT);
    expect(comment).toContain('the words of the provider');
    expect(comment).toContain('**What to do**: ');
    for (const text of texts) expect(comment).toContain(text);
  });

  it('asks for nothing where there is nothing to do', () => {
    const error = { id: 'SUPERSEDED', data: 'a newer commit takes its place' };
    expect(runComment(run({ state: 'aborted', error }), GITHUB_LIMIT)).not.toContain('What to do');
  });

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

  it('begins no line with a slash that a run has printed, whatever stands before it', () => {
    const lines = fc.array(
      fc.string({
        unit: fc.constantFrom('/approve', '/', ' ', '>', '-', '*', '1.', '`', '\r', '\n', '\u001b'),
      }),
    );
    fc.assert(
      fc.property(lines, fc.constantFrom('raw', 'markdown', 'code'), (printed, format) => {
        const steps = [{ ...step(printed.join('\n'), { format, visible_on: 'always' }), step: 'run' }];
        const comment = runComment(run({ steps }), 65_536);
        const marks = format === 'code' ? /^\//m : /^(?:[ \t]|>|[*+-][ \t]|\d+[.)][ \t])*\//m;
        expect(comment).not.toMatch(marks);
      }),
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
    const index = runComment(run({ runType: 'index', dirspaces: [], hooksFailed: true }), 65_536);
    expect(index).toContain('❌ Index of the repository failed');
    expect(index).not.toContain('A hook failed');
  });

  it('stays within the limit with a closed fence, for one long line and for many directories', () => {
    const comment = runComment(
      manyDirspaces(30, () => 'x'.repeat(500_000)),
      GITHUB_LIMIT,
    );
    expect(comment.length).toBeLessThanOrEqual(GITHUB_LIMIT);
    expect(comment.match(/^```/gm)?.length).toBe(60);
    expect(comment).toContain('[Run 12345678](https://service/run)');
  });

  it('leaves out whole directories where there is no room, says how many, and shows failures first', () => {
    const many = manyDirspaces(1_000, (n) => `plan ${n}\n${'x'.repeat(5_000)}`);
    const failed = { dir: 'env/service-900', workspace: 'default', state: 'failure' as const };
    const comment = runComment(
      {
        ...many,
        dirspaces: many.dirspaces.map((each) => (each.dir === failed.dir ? { ...each, ...failed } : each)),
        steps: many.steps.map((each) =>
          each.dir === failed.dir ? { ...each, state: 'failure', payload: { text: 'boom' } } : each,
        ),
      },
      GITHUB_LIMIT,
    );
    expect(comment).toContain('1000 directories: 999 with changes, 1 failed. Resources: +1000 ~2000 -0');
    expect(comment).toContain('**env/service-900 (default): tf/plan failed**\n\n```\nboom\n```');
    const shown = comment.match(/^<details>/gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(20);
    expect(comment).toContain(`**Not shown here**: the output of ${999 - shown} directories.`);
    const rows = comment.match(/^\| `/gm)?.length ?? 0;
    expect(comment).toContain(
      `${1_000 - rows} more directories are on the [page of the run](https://service/run).`,
    );
    expect(isClosed(comment)).toBe(true);
  });

  it('keeps counts, gates, links and closed blocks within the limit of both hosts, whatever runs print', () => {
    const output = fc.oneof(
      fc.string({ unit: fc.constantFrom('`', '~', '\n', 'a', '<', '/', '@', '\u001b', ' '), maxLength: 300 }),
      fc.constantFrom(
        '```\nopen',
        '`'.repeat(70_000),
        '` '.repeat(600_000),
        'x'.repeat(5_000_000),
        '<'.repeat(100_000),
        '   ~~~\n</details>',
      ),
    );
    const places = fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 600 }) },
      fc.integer({ min: 601, max: 5_000 }),
    );
    fc.assert(
      fc.property(
        fc.record({
          places,
          outputs: fc.array(output, { minLength: 1, maxLength: 4 }),
          formats: fc.array(fc.constantFrom(undefined, 'markdown', { lang: 'diff' }), { minLength: 1 }),
          failing: fc.integer({ min: 1, max: 50 }),
          isLongList: fc.boolean(),
          hooks: fc.integer({ min: 0, max: 40 }),
          limit: fc.constantFrom(GITHUB_LIMIT, 1_000_000),
        }),
        ({ places: count, outputs, formats, failing, isLongList, hooks, limit }) => {
          const many = manyDirspaces(count, (n) => outputs[n % outputs.length] ?? '');
          const lists = isLongList ? many.dirspaces : [];
          const comment = runComment(
            {
              ...many,
              steps: [
                ...many.steps.map((each, n) => ({
                  ...each,
                  state: n % failing === 0 ? ('failure' as const) : each.state,
                  payload: { ...each.payload, format: formats[n % formats.length] },
                })),
                ...Array.from({ length: hooks }, (_, n) => ({
                  ...step(outputs[n % outputs.length] ?? '', { visible_on: 'always' }),
                  dir: null,
                  workspace: null,
                })),
              ],
              gates: [
                { token: 'first-gate', name: null, missing: '1 of @boss' },
                ...lists.map(({ dir }) => ({ token: dir, name: 'n'.repeat(900), missing: dir })),
              ],
              waiting: lists.map(({ dir }) => dir),
              holds: lists.slice(1).map(({ dir, workspace }) => ({
                ...{ dir, workspace, pullNumber: 7 },
                ...{ username: 'ada', createdAt: new Date(0) },
              })),
              extras: [`**Cost**\n${'- a line of the cost\n'.repeat(lists.length)}`],
              ciRun: 'https://ci/1',
            },
            limit,
          );
          expect(comment.length).toBeLessThanOrEqual(limit);
          expect(isClosed(comment)).toBe(true);
          expect(comment).toMatch(/^### ✅ Plan succeeded\n/);
          if (count > 1) expect(comment).toContain(`\n\n${count} directories: ${count} with changes.`);
          expect(comment).toContain('comment `infrastate gate approve first-gate`');
          expect(comment).toContain('**Cost**');
          expect(
            comment.endsWith(
              'To apply: comment `infrastate apply`.\n\n[Run 12345678](https://service/run) · [CI run](https://ci/1)',
            ),
          ).toBe(true);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('shortens a reply without leaving a fence open', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('`', '\n', 'a', 'b'), maxLength: 400 }),
        fc.integer({ min: 40, max: 200 }),
        (text, limit) => {
          const reply = shortened(`Reasons:\n\n${fenced(text)}\n\nSo it is.`, limit);
          expect(reply.length).toBeLessThanOrEqual(limit);
          expect(isClosed(reply)).toBe(true);
        },
      ),
    );
  });

  it('shows names of directories in the summary of an output as they are, and as no element', () => {
    const dirspaces = [{ dir: 'my_dir</details> @boss', workspace: 'default', state: 'success' }];
    const comment = runComment(
      run({
        dirspaces: dirspaces.map((each) => ({ ...each, hasChanges: true, summary: null })),
        steps: [{ ...step('the plan'), dir: dirspaces[0]?.dir ?? '' }],
      }),
      GITHUB_LIMIT,
    );
    expect(comment).toContain(
      '<details><summary>my_dir&#60;/details&#62; @\u200bboss (default): tf/plan</summary>',
    );
  });

  it('leaves no fence of a hook open, wherever in a line it begins', () => {
    const hook = {
      ...step('ok\n   ```\n- ~~~\n', { visible_on: 'always', format: 'markdown' }),
      step: 'run',
    };
    expect(isClosed(runComment(run({ steps: [hook] }), GITHUB_LIMIT))).toBe(true);
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
      commitStatuses(Object.keys(progress).map(dirspace), {
        progress: byKey(progress),
        givenUp: byKey(givenUp),
      }).map(({ context, state }) => [context, state]),
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
    const progress = byKey({ a: { plan: of('success', hasChanges), apply: undefined } });
    const newest = byKey({ a: { apply: { runId: 'lost', createdAt: new Date() } } });
    const found = commitStatuses([dirspace('a')], { progress, newest });
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

  it('say how many directories are planned where not all of them are', () => {
    const planned = { plan: of('success', true), apply: undefined };
    const none = { plan: undefined, apply: undefined };
    const summaries = (progress: Record<string, DirspaceProgress>) =>
      commitStatuses(Object.keys(progress).map(dirspace), { progress: byKey(progress) })
        .slice(0, 2)
        .map(({ state, description }) => `${state}: ${description}`);
    expect(summaries({ a: planned, b: none, c: none })).toEqual([
      'success: 1 of 3 directories planned',
      'pending: waiting',
    ]);
    expect(summaries({ a: { ...planned, apply: of('success') }, b: planned, c: none })).toEqual([
      'success: 2 of 3 directories planned',
      'pending: waiting; 1 of 3 directories applied',
    ]);
    expect(summaries({ a: none, b: none })[0]).toBe('success: 0 of 2 directories planned');
    expect(summaries({ a: { ...none, plan: of('failure') }, b: planned })[0]).toBe(
      'failure: 1 of 2 directories failed; see the comment',
    );
    expect(summaries({ a: planned })[0]).toBe('success: 1 directory planned');
  });

  it('are of the same first directories where there are too many, and the summary says so', () => {
    const names = Array.from({ length: 200 }, (_, n) => `dir-${n}`);
    const plan = of('success', true);
    const progress = Object.fromEntries(names.map((dir) => [dir, { plan, apply: of('success') }]));
    const all = commitStatuses(names.map(dirspace), { progress: byKey(progress) });
    expect(all).toHaveLength(2 + 2 * MAX_OWN_STATUSES);
    expect(all[1]?.description).toBe(
      `200 directories applied; only ${MAX_OWN_STATUSES} of them have their own status`,
    );
    // What has a status once is kept up to date: the number of statuses before the apply names the same ones.
    const before = commitStatuses(names.map(dirspace), {
      progress: byKey(Object.fromEntries(names.map((dir) => [dir, { plan, apply: undefined }]))),
    });
    expect(before).toHaveLength(2 + MAX_OWN_STATUSES);
    const contexts = new Set(all.map(({ context }) => context));
    expect(before.every(({ context }) => contexts.has(context))).toBe(true);
    // A failure beyond them is counted, in few enough characters for every provider.
    const failing = commitStatuses(names.map(dirspace), {
      progress: byKey({ ...progress, 'dir-199': { plan: of('failure'), apply: undefined } }),
    });
    expect(failing[0]).toMatchObject({ state: 'failure', context: 'infrastate plan' });
    expect(failing[0]?.description).toContain('1 of 200 directories failed; see the comment; only');
    expect(failing[0]?.description.length).toBeLessThanOrEqual(140);
  });

  it('lead to the newest run of a directory, the summary to the newest of all', () => {
    const plan = (runId: string, at: number) => ({ runId, createdAt: new Date(at) });
    const found = commitStatuses([dirspace('a'), dirspace('b')], {
      progress: byKey({
        a: { plan: of('success', true), apply: undefined },
        b: { plan: of('success', true), apply: undefined },
      }),
      newest: byKey({ a: { plan: plan('late', 2) }, b: { plan: plan('early', 1) } }),
    });
    expect(found.map(({ context, runId }) => [context, runId])).toEqual([
      ['infrastate plan', 'late'],
      ['infrastate apply', undefined],
      ['infrastate plan: a default', 'late'],
      ['infrastate plan: b default', 'early'],
    ]);
  });
});
