import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirspaceRun } from './dirspace-run.js';
import type { RunnerCalls, StepReport, WorkDirspace } from './protocol.js';
import type { RunState } from './run-state.js';

describe('A dirspace in a workspace of its own', () => {
  let home: string;
  let engine: string;
  let log: string;
  let reported: Pick<StepReport, 'step' | 'state' | 'payload'>[];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'dirspace-run-'));
    [engine, log, reported] = [join(home, 'engine'), join(home, 'log'), []];
    writeFileSync(engine, `#!/bin/sh\necho "$*" >> ${log}\n`, { mode: 0o755 });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function stateWith(environment: Record<string, string> = {}): RunState {
    return {
      root: home,
      scratch: join(home, 'scratch'),
      environment: { PATH: process.env['PATH'] ?? '', ...environment },
      handedOn: new Set(),
      signal: new AbortController().signal,
      reports: {
        step: (report: StepReport) => Promise.resolve(void reported.push(report)),
        writer: () => ({ write: () => undefined, end: () => undefined }),
      },
    } as unknown as RunState;
  }

  function runIn(workspace: string): Promise<{ success: boolean }> {
    return runSteps(stateWith(), { workspace, steps: [{ type: 'init' }] });
  }

  function runSteps(
    state: RunState,
    given: Pick<WorkDirspace, 'workspace' | 'steps'>,
  ): Promise<{ success: boolean }> {
    const dirspace = {
      dir: '.',
      engine: { name: 'terraform', command: engine },
      mode: 'full',
      has_plan: false,
      tags: [],
      ...given,
    } as WorkDirspace;
    return new DirspaceRun(state, {} as RunnerCalls, dirspace, 0).run();
  }

  it('hands on to its own Terraform only what its own steps take from the CI job', async () => {
    writeFileSync(
      engine,
      `#!/bin/sh\necho "$INFRASTATE_WORKSPACE:$CI_JOB_TOKEN:$CI_REGISTRY_PASSWORD" >> ${log}\n`,
    );
    const state = stateWith({ CI_JOB_TOKEN: 'job', CI_REGISTRY_PASSWORD: 'registry' });
    // As a hook of the whole run does.
    state.handedOn.add('CI_REGISTRY_PASSWORD');
    const init = { type: 'init' };
    const handOn = { type: 'env', name: 'CI_JOB_TOKEN', cmd: ['printenv', 'CI_JOB_TOKEN'] };
    expect(await runSteps(state, { workspace: 'one', steps: [handOn, init] })).toMatchObject({
      success: true,
    });
    expect(await runSteps(state, { workspace: 'two', steps: [init] })).toMatchObject({ success: true });
    const seen = new Set(readFileSync(log, 'utf8').trim().split('\n'));
    expect([...seen]).toEqual(['one:job:registry', 'two::registry']);
  });

  it('selects it', async () => {
    expect(await runIn('live')).toMatchObject({ success: true });
    expect(readFileSync(log, 'utf8')).toMatch(/\nworkspace select -no-color -or-create live\n$/);
  });

  it.each(['-x', '-chdir=..', '--help'])(
    'refuses %s, which Terraform would read as an option',
    async (name) => {
      expect(await runIn(name)).toMatchObject({ success: false });
      expect(reported).toMatchObject([
        {
          step: 'tf/init',
          state: 'failure',
          payload: { text: expect.stringContaining('must not begin with a dash') },
        },
      ]);
      expect(existsSync(log) ? readFileSync(log, 'utf8') : '').not.toContain(name);
    },
  );
});
