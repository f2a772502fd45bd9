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

  function runIn(workspace: string): Promise<{ success: boolean }> {
    const state = {
      root: home,
      scratch: join(home, 'scratch'),
      environment: { PATH: process.env['PATH'] ?? '' },
      signal: new AbortController().signal,
      reports: {
        step: (report: StepReport) => Promise.resolve(void reported.push(report)),
        writer: () => ({ write: () => undefined, end: () => undefined }),
      },
    } as unknown as RunState;
    const dirspace = {
      dir: '.',
      workspace,
      engine: { name: 'terraform', command: engine },
      mode: 'full',
      has_plan: false,
      tags: [],
      steps: [{ type: 'init' }],
    } as WorkDirspace;
    return new DirspaceRun(state, {} as RunnerCalls, dirspace, 0).run();
  }

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
