import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { gateSchema, hooksSchema } from '../../../../src/modules/repo-config/hooks.schema.js';
import { Masker } from '../masking.rules.js';
import type { RunnerCalls, StepReport, StepSpec, Work } from '../protocol.js';
import { Reports } from '../reports.js';
import { type RunState, toolEnvironment } from '../run-state.js';
import { readGate } from './gate.rules.js';
import { runHook, runHooks } from './hooks.js';

/** Hooks as the service sends them: with every default of the schema. */
function hooksOf(specs: readonly object[]): StepSpec[] {
  const { all } = hooksSchema.parse({ all: { pre: specs } });
  return all.pre;
}

describe('Hooks', () => {
  let root: string;
  let steps: StepReport[];
  let state: RunState;
  let printed: string;
  let restore: () => void;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hooks-'));
    mkdirSync(join(root, 'scratch'));
    steps = [];
    printed = '';
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text: string) => {
      printed += text;
      return true;
    };
    restore = () => void (process.stdout.write = write);
    const calls = {
      steps: (sent: Buffer) =>
        Promise.resolve(void steps.push(...(JSON.parse(sent.toString()) as { steps: StepReport[] }).steps)),
      logs: () => Promise.resolve(),
    } as unknown as RunnerCalls;
    const masker = new Masker();
    state = {
      work: { kind: 'pull_request', run_type: 'plan' } as Work,
      apiBase: 'http://service.example',
      token: 'token',
      root,
      scratch: join(root, 'scratch'),
      environment: { PATH: process.env['PATH'] ?? '', FROM_CI: 'ci value' },
      masker,
      reports: new Reports(calls, masker, () => undefined),
      gates: [],
      handedOn: new Set(),
      signal: new AbortController().signal,
      killAfterMs: 1_000,
    };
  });
  afterEach(async () => {
    await state.reports.end();
    restore();
    rmSync(root, { recursive: true, force: true });
  });

  const run = (specs: readonly object[], hasSucceeded = true): Promise<boolean> =>
    runHooks(hooksOf(specs), state, { subflow: 'pre', hasSucceeded });
  const shell = (script: string): string[] => ['sh', '-c', script];

  it('run in the order of the list, from the checkout, and see what those before them set', async () => {
    const specs = [
      { type: 'env', name: 'ONE', cmd: shell('pwd') },
      { type: 'run', cmd: shell('echo "$ONE" >> order; echo two >> order') },
    ];
    expect(await run(specs)).toBe(true);
    expect(readFileSync(join(root, 'order'), 'utf8')).toBe(`${root}\ntwo\n`);
    expect(steps.map(({ seq, step, scope }) => ({ seq, step, scope }))).toEqual([
      { seq: 0, step: 'env', scope: { type: 'run', flow: 'hooks', subflow: 'pre' } },
      { seq: 1, step: 'run', scope: { type: 'run', flow: 'hooks', subflow: 'pre' } },
    ]);
  });

  describe('env', () => {
    it('takes newlines off the end, unless told to keep them', async () => {
      const cmd = shell('printf "a\\n\\nb\\n\\n"');
      await run([
        { type: 'env', name: 'TRIMMED', cmd },
        { type: 'env', name: 'WHOLE', cmd, trim_trailing_newlines: false },
      ]);
      expect(state.environment).toMatchObject({ TRIMMED: 'a\n\nb', WHOLE: 'a\n\nb\n\n' });
      expect(steps[0]?.payload['text']).toBe('TRIMMED=a\n\nb');
    });

    it('hides a sensitive value, each of its lines, and announces it on the CI of GitHub only', async () => {
      const specs = [
        { type: 'env', name: 'SECRET', cmd: shell('printf "first-line\\nsecond-line"'), sensitive: true },
        { type: 'run', cmd: shell('echo "$SECRET"; exit 1'), ignore_errors: true },
      ];
      await run(specs);
      expect(JSON.stringify(steps)).not.toMatch(/first-line|second-line/);
      expect(printed).not.toContain('::add-mask::');
      expect(printed).not.toMatch(/first-line|second-line/);
      state.environment['GITHUB_ACTIONS'] = 'true';
      await run(specs);
      expect(printed).toContain('::add-mask::first-line\n::add-mask::second-line\n');
    });

    it('announces no line that stands in any text', async () => {
      state.environment['GITHUB_ACTIONS'] = 'true';
      const cmd = shell('printf "{\\n  \\"key\\": 1\\n}\\n"');
      await run([{ type: 'env', name: 'CREDENTIAL', cmd, sensitive: true }]);
      expect(printed.match(/^::add-mask::.*$/gm)).toEqual(['::add-mask::  "key": 1']);
    });

    it('hands on to Terraform what the CI job has for hooks only', async () => {
      const ofTheJob = { CI_JOB_TOKEN: 'job', CI_REGISTRY_PASSWORD: 'registry', ACTIONS_RUNTIME_TOKEN: 'no' };
      Object.assign(state.environment, ofTheJob);
      writeFileSync(join(root, 'vars.sh'), 'CI_REGISTRY_PASSWORD=changed\n');
      await run([
        { type: 'env', name: 'CI_JOB_TOKEN', cmd: ['printenv', 'CI_JOB_TOKEN'] },
        { type: 'env', method: 'source', cmd: ['./vars.sh'] },
      ]);
      const { PATH } = state.environment;
      expect(toolEnvironment(state.environment)).toEqual({ PATH, FROM_CI: 'ci value' });
      expect(toolEnvironment(state.environment, state.handedOn)).toEqual({
        PATH,
        FROM_CI: 'ci value',
        CI_JOB_TOKEN: 'job',
        CI_REGISTRY_PASSWORD: 'changed',
      });
    });

    it('keeps what a sourced script changes, and fails with it', async () => {
      writeFileSync(join(root, 'vars.sh'), 'NEW="$1 value"\nexport FROM_CI=changed\nunset NOT_THERE\n');
      expect(
        await run([{ type: 'env', method: 'source', cmd: ['./vars.sh', 'given'], sensitive: true }]),
      ).toBe(true);
      expect(state.environment).toMatchObject({ NEW: 'given value', FROM_CI: 'changed' });
      expect(state.masker.mask('a given value')).toBe('a ***');
      writeFileSync(join(root, 'bad.sh'), 'LATE=1\nreturn 3\n');
      expect(await run([{ type: 'env', method: 'source', cmd: ['./bad.sh'] }])).toBe(false);
      expect(state.environment).not.toHaveProperty('LATE');
      // The variables came through a file with every secret of the run: nothing of it is left.
      expect(readdirSync(state.scratch)).toEqual([]);
    });

    it('fails the operation when its command does', async () => {
      expect(await run([{ type: 'env', name: 'X', cmd: shell('echo oh >&2; exit 2') }])).toBe(false);
      expect(steps[0]).toMatchObject({ state: 'failure', payload: { exit_code: 2, text: 'oh\n' } });
      expect(await run([{ type: 'env', name: 'X', cmd: ['no-such-program'] }])).toBe(false);
    });
  });

  describe('run', () => {
    it('runs after success unless run_on says otherwise', async () => {
      const specs = ['success', 'failure', 'always'].map((run_on) => ({
        type: 'run',
        cmd: ['echo', run_on],
        run_on,
      }));
      await run([{ type: 'run', cmd: ['echo', 'default'] }, ...specs]);
      const said = () => steps.splice(0).map(({ payload }) => String(payload['text']).trim());
      expect(said()).toEqual(['default', 'success', 'always']);
      await run([{ type: 'run', cmd: ['echo', 'default'] }, ...specs], false);
      expect(said()).toEqual(['failure', 'always']);
      await run([{ type: 'run', cmd: ['false'] }, ...specs]);
      expect(said()).toEqual(['', 'failure', 'always']);
    });

    it('gets its own variables, with references taken from the environment', async () => {
      const env = { GREETING: 'from ${FROM_CI}, ${MISSING}!', PLAIN: '$FROM_CI' };
      await run([
        { type: 'run', cmd: shell('echo "$GREETING|$PLAIN"'), env },
        { type: 'run', cmd: shell('echo "[$GREETING]"') },
      ]);
      expect(steps.map(({ payload }) => payload['text'])).toEqual(['from ci value, !|$FROM_CI\n', '[]\n']);
    });

    it('reports how it is to be shown, with the defaults', async () => {
      await run([
        { type: 'run', cmd: ['true'] },
        { type: 'run', cmd: ['true'], visible_on: 'always', format: { type: 'code', lang: 'json' } },
        { type: 'run', cmd: ['true'], visible_on: 'success', format: 'markdown' },
      ]);
      expect(
        steps.map(({ visible_on, format, ignore_errors }) => ({ visible_on, format, ignore_errors })),
      ).toEqual([
        { visible_on: 'failure', format: 'code', ignore_errors: false },
        { visible_on: 'always', format: { type: 'code', lang: 'json' }, ignore_errors: false },
        { visible_on: 'success', format: 'markdown', ignore_errors: false },
      ]);
    });

    it('fails the operation, unless its errors are ignored or it asks for an approval instead', async () => {
      const gate = { type: 'gate', token: 'ask', name: 'Ask them', any_of: ['team:x'], any_of_count: 2 };
      expect(await run([{ type: 'run', cmd: ['false'] }])).toBe(false);
      expect(await run([{ type: 'run', cmd: ['false'], ignore_errors: true }])).toBe(true);
      expect(state.gates).toEqual([]);
      expect(await run([{ type: 'run', cmd: ['false'], on_error: [gate] }])).toBe(true);
      expect(state.gates).toEqual([
        { token: 'ask', name: 'Ask them', all_of: [], any_of: ['team:x'], any_of_count: 2 },
      ]);
      expect(await run([{ type: 'run', cmd: ['false'], on_error: [gate], ignore_errors: false }])).toBe(
        false,
      );
      state.gates.length = 0;
      expect(await run([{ type: 'run', cmd: ['true'], on_error: [gate] }])).toBe(true);
      expect(state.gates).toEqual([]);
    });
  });

  describe('gates', () => {
    it('takes gates from standard output and never fails the operation', async () => {
      const gates = [
        { token: 'a', all_of: ['user:x'], add_reviewers: ['y'] },
        { name: 'without a token' },
        'text',
      ];
      const print = (text: string) => ({ type: 'gates', cmd: ['echo', text] });
      expect(await run([print(JSON.stringify({ gates }))])).toBe(true);
      expect(state.gates).toEqual([{ token: 'a', all_of: ['user:x'], add_reviewers: ['y'] }]);
      for (const text of ['no json', '[]', '{"gates": 1}', 'null'])
        expect(await run([print(text)])).toBe(true);
      expect(await run([{ type: 'gates', cmd: ['false'] }])).toBe(true);
      expect(state.gates).toHaveLength(1);
      expect(steps.map((step) => step.state)).toEqual(Array<string>(6).fill('failure'));
      expect(steps[0]?.payload['text']).toContain('gate 2: token must be one line');
      expect(steps[0]?.payload['text']).toContain('gate 3 must be an object');
      expect(steps[1]?.payload['text']).toContain('must be a JSON object with a list "gates"');
    });

    it.each([
      [{ any_of_count: 0 }, 'any_of_count must be a whole number from 1 to 1000'],
      [{ any_of_count: 1.5 }, 'any_of_count must be'],
      [{ any_of_count: 2 ** 40 }, 'any_of_count must be'],
      [{ token: 'x'.repeat(201) }, 'token must be one line of 1 to 200 characters'],
      [{ token: 'a\u0000' }, 'token must be'],
      [{ token: ' a' }, 'token must be'],
      [{ name: 'x'.repeat(201) }, 'name must be'],
      [{ any_of: 'alice' }, 'any_of must be a list of at most 100 names'],
      [{ all_of: Array<string>(101).fill('a') }, 'all_of must be'],
      [{ add_reviewers: [7] }, 'add_reviewers must be'],
    ])('names what is wrong with a gate %#, and keeps those that are right', async (fields, mistake) => {
      const gates = [
        { token: 'bad', ...fields },
        { token: 'good', name: null },
      ];
      expect(await run([{ type: 'gates', cmd: ['echo', JSON.stringify({ gates })] }])).toBe(true);
      expect(state.gates).toEqual([{ token: 'good' }]);
      expect(steps[0]).toMatchObject({ state: 'failure', ignore_errors: true });
      expect(steps[0]?.payload['text']).toContain(`gate 1: ${mistake}`);
    });

    it('sends 100 gates at most, each once, and fails a command whose gate is one too many', async () => {
      const print = (count: number) => {
        const gates = Array.from({ length: count }, (_, n) => ({ token: `t${n}` }));
        return { type: 'gates', cmd: ['echo', JSON.stringify({ gates })] };
      };
      expect(await run([print(100), print(100)])).toBe(true);
      expect(steps.map(({ state: ended }) => ended)).toEqual(['success', 'success']);
      const gate = { type: 'gate', token: 'one more' };
      expect(await run([print(101), { type: 'run', cmd: ['false'], on_error: [gate] }])).toBe(false);
      expect(state.gates).toHaveLength(100);
      for (const step of steps.slice(2))
        expect(step.payload['text']).toContain('a run must have at most 100 gates');
    });

    it('takes of a gate what the configuration takes', () => {
      const character = fc.constantFrom('a', ' ', '\n', '\u0000', '@');
      const line = (max: number) =>
        fc.oneof(fc.string({ unit: character, maxLength: 4 }), fc.constant('x'.repeat(max)));
      const people = fc.oneof(
        fc.array(line(1_000), { maxLength: 3 }),
        fc.constantFrom(Array<string>(100).fill('a'), Array<string>(101).fill('a'), ['x'.repeat(1_001)]),
      );
      const gates = fc.record({
        token: line(201),
        name: fc.option(fc.oneof(line(200), line(201)), { nil: undefined }),
        all_of: people,
        any_of: people,
        any_of_count: fc.constantFrom(0, 1, 1.5, 1_000, 1_001),
      });
      fc.assert(
        fc.property(gates, (gate) => {
          const isTaken = 'gate' in readGate(gate, 'gate');
          expect([gate, isTaken]).toEqual([gate, gateSchema.safeParse(gate).success]);
        }),
      );
    });

    it('runs after success unless run_on says otherwise', async () => {
      const cmd = ['echo', '{"gates": [{"token": "t"}]}'];
      await run([{ type: 'gates', cmd }], false);
      expect(state.gates).toEqual([]);
      await run([{ type: 'gates', cmd, run_on: 'failure' }], false);
      expect(state.gates).toHaveLength(1);
    });
  });

  describe('drift_create_issue', () => {
    it('asks for an issue after plans of drift runs only, after success and failure', async () => {
      const post = [{ type: 'drift_create_issue' }, { type: 'drift_create_issue', group_by: 'dirspace' }];
      const { plan } = hooksSchema.parse({ plan: { post } });
      await runHooks(plan.post, state, { subflow: 'post', hasSucceeded: true });
      state.work = { ...state.work, kind: 'drift' };
      await runHooks(plan.post, state, { subflow: 'pre', hasSucceeded: true });
      const place = { ...state, cwd: root, hasSucceeded: true };
      const scope = { type: 'dirspace', dir: 'a', workspace: 'default' } as const;
      await runHook({ type: 'drift_create_issue' }, state, { ...place, scope });
      expect(steps).toEqual([]);
      await runHooks(plan.post, state, { subflow: 'post', hasSucceeded: false });
      expect(steps.map(({ step, payload }) => ({ step, payload }))).toEqual([
        { step: 'drift_create_issue', payload: { group_by: 'all' } },
        { step: 'drift_create_issue', payload: { group_by: 'dirspace' } },
      ]);
    });
  });

  it('hooks of an unknown kind fail with a message', async () => {
    expect(await runHooks([{ type: 'new' }], state, { subflow: 'post', hasSucceeded: true })).toBe(false);
    expect(steps[0]?.payload['text']).toContain('does not know the hook new');
  });

  it('keep secrets out of the arguments of the processes that they start', async () => {
    await run([
      { type: 'env', name: 'SECRET', cmd: ['echo', 'not-in-arguments'], sensitive: true },
      { type: 'run', cmd: shell('tr "\\0" " " < /proc/$$/cmdline; test -n "$SECRET"') },
    ]);
    expect(steps[1]).toMatchObject({ state: 'success' });
    expect(String(steps[1]?.payload['text'])).not.toContain('not-in-arguments');
  });
});
