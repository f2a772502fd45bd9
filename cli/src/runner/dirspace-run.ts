import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, failureOf } from '../failure.js';
import { directoryIn } from './checkout.js';
import { findEngine } from './engine.js';
import type { StepResult } from './hooks/hook-step.js';
import { runHook } from './hooks/hooks.js';
import { type ProcessOutcome, runProcess } from './processes.js';
import type { DirspaceResult, RunnerCalls, Scope, StepSpec, WorkDirspace } from './protocol.js';
import type { RunState } from './run-state.js';

/** `init` of all dirspaces share the plugin cache, which only one at a time may write. */
let initializing: Promise<unknown> = Promise.resolve();

interface Counts {
  add: number;
  change: number;
  destroy: number;
}

/** One directory in a workspace, step by step. A failure ends it and no other one. */
export class DirspaceRun {
  private readonly scope: Scope;
  private readonly environment: Record<string, string>;
  private readonly planFile: string;
  private hasChanges: boolean | undefined;
  private summary: Counts | undefined;

  constructor(
    private readonly state: RunState,
    private readonly calls: RunnerCalls,
    private readonly dirspace: WorkDirspace,
    /** counts the dirspaces of the work */
    private readonly n: number,
  ) {
    const { dir, workspace } = dirspace;
    this.scope = { type: 'dirspace', dir, workspace };
    const home = join(state.scratch, `dirspace-${n}`);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    this.planFile = join(home, 'plan');
    const plugins = join(state.scratch, 'plugins');
    mkdirSync(plugins, { recursive: true });
    this.environment = {
      TF_PLUGIN_CACHE_DIR: plugins,
      ...state.environment,
      TF_DATA_DIR: join(home, 'data'),
      INFRASTATE_DIR: dir,
      INFRASTATE_WORKSPACE: workspace,
      INFRASTATE_PLAN_FILE: this.planFile,
    };
  }

  async run(): Promise<DirspaceResult> {
    const { dir, workspace, steps } = this.dirspace;
    let success = true;
    for (const step of steps) success = (await this.step(step, { hasSucceeded: success })) && success;
    return {
      dir,
      workspace,
      success,
      ...(this.hasChanges === undefined ? {} : { has_changes: this.hasChanges }),
      ...(this.summary ? { summary: this.summary } : {}),
    };
  }

  private async step(spec: StepSpec, { hasSucceeded }: { hasSucceeded: boolean }): Promise<boolean> {
    try {
      this.state.signal.throwIfAborted();
      const cwd = directoryIn(this.state.root, this.dirspace.dir);
      switch (spec.type) {
        case 'init':
        case 'plan':
        case 'apply':
          return hasSucceeded ? await this[spec.type](cwd, spec.extra_args ?? []) : true;
        default:
          return await runHook(spec, this.state, {
            cwd,
            environment: this.environment,
            scope: this.scope,
            hasSucceeded,
          });
      }
    } catch (error) {
      if (this.state.signal.aborted) return false;
      const text = failureOf(error).message;
      const writer = this.state.reports.writer(this.scope);
      writer.write(`${text}\n`);
      writer.end();
      await this.report(`tf/${spec.type}`, { success: false, payload: { text } });
      return false;
    }
  }

  private async init(cwd: string, extra: readonly string[]): Promise<boolean> {
    const turn = initializing.then(() => this.engine(cwd, ['init', '-input=false', '-no-color', ...extra]));
    initializing = turn.catch(() => undefined);
    const outcome = await turn;
    let { code, text } = outcome;
    if (code === 0 && this.dirspace.workspace !== 'default') {
      const selected = await this.engine(cwd, [
        'workspace',
        'select',
        '-no-color',
        '-or-create',
        this.dirspace.workspace,
      ]);
      ({ code } = selected);
      text += selected.text;
    }
    await this.report('tf/init', { success: code === 0, payload: { text } });
    return code === 0;
  }

  private async plan(cwd: string, extra: readonly string[]): Promise<boolean> {
    const args = [
      'plan',
      '-input=false',
      '-no-color',
      '-detailed-exitcode',
      `-out=${this.planFile}`,
      ...extra,
    ];
    const { code, text, stdout } = await this.engine(cwd, args);
    const success = code === 0 || code === 2;
    if (success) {
      this.hasChanges = code === 2;
      this.summary = await this.countsOf(cwd);
      if (this.hasChanges) await this.calls.storePlan(this.n, readFileSync(this.planFile));
    }
    const shown = success ? { plan: planOf(stdout), has_changes: this.hasChanges } : {};
    await this.report('tf/plan', { success, payload: { text, ...shown } });
    return success;
  }

  /** Applies exactly what was planned: in this run, or in the one that the service names. */
  private async apply(cwd: string, extra: readonly string[]): Promise<boolean> {
    if (!existsSync(this.planFile)) {
      if (!this.dirspace.has_plan)
        throw new Failure('PLAN_MISSING', 'there is no plan file for this apply; plan again');
      writeFileSync(this.planFile, await this.calls.readPlan(this.n), { mode: 0o600 });
    } else if (this.hasChanges === false) return true;
    const { code, text } = await this.engine(cwd, [
      'apply',
      '-input=false',
      '-no-color',
      ...extra,
      this.planFile,
    ]);
    await this.report('tf/apply', { success: code === 0, payload: { text } });
    return code === 0;
  }

  private async engine(cwd: string, args: readonly string[]): Promise<ProcessOutcome> {
    const program = await findEngine(this.dirspace.engine, this.environment, cwd);
    const writer = this.state.reports.writer(this.scope);
    const outcome = await runProcess(program, args, {
      cwd,
      env: this.environment,
      show: (text) => writer.write(text),
      signal: this.state.signal,
    });
    writer.end();
    return outcome;
  }

  /** Values of the plan stay here: only the counts go on. */
  private async countsOf(cwd: string): Promise<Counts | undefined> {
    const program = await findEngine(this.dirspace.engine, this.environment, cwd);
    const { code, stdout } = await runProcess(program, ['show', '-json', this.planFile], {
      cwd,
      env: this.environment,
      signal: this.state.signal,
    });
    if (code !== 0) return undefined;
    const { resource_changes: changes = [] } = JSON.parse(stdout) as {
      resource_changes?: { change: { actions: string[] } }[];
    };
    const count = (action: string) => changes.filter(({ change }) => change.actions.includes(action)).length;
    return { add: count('create'), change: count('update'), destroy: count('delete') };
  }

  private report(step: string, { success, payload }: StepResult): Promise<void> {
    return this.state.reports.step({
      scope: this.scope,
      step,
      state: success ? 'success' : 'failure',
      payload,
    });
  }
}

/** The part of the output that people read. */
function planOf(stdout: string): string {
  const start = stdout.search(
    /^(Terraform|OpenTofu) will perform|^Terraform used the selected|^OpenTofu used the selected|^No changes/m,
  );
  const end = stdout.search(/^─{5,}/m);
  return stdout.slice(Math.max(start, 0), end > start ? end : undefined).trim();
}
