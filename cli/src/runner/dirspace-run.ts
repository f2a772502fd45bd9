import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, failureOf } from '../failure.js';
import { TransactionConflict } from '../run/apply-run.js';
import { directoryIn } from './checkout.js';
import { applyDelta, planDelta } from './delta.js';
import { findEngine } from './engine.js';
import type { StepResult } from './hooks/hook-step.js';
import { runHook } from './hooks/hooks.js';
import { MAX_KEPT_CHARACTERS, type ProcessOutcome, runProcess } from './processes.js';
import { type Counts, NO_CHANGES, PlanCounts } from './plan-counts.js';
import type { DirspaceResult, RunnerCalls, Scope, StepSpec, WorkDirspace } from './protocol.js';
import { type RunState, toolEnvironment } from './run-state.js';
import {
  ApplySession,
  backendEnvironment,
  contextOf,
  keepUndeliveredStates,
  requireHttpBackend,
  type StateDirspace,
} from './service-states.js';

/** `init` of all dirspaces share the plugin cache, which only one at a time may write. */
let initializing: Promise<unknown> = Promise.resolve();

/** One directory in a workspace, step by step. A failure ends it and no other one. */
export class DirspaceRun {
  private readonly scope: Scope;
  private readonly environment: Record<string, string>;
  private readonly planFile: string;
  private readonly dataDirectory: string;
  /** with a state of this service */
  private readonly withState: StateDirspace | undefined;
  private hasChanges: boolean | undefined;
  private summary: Counts | undefined;
  private txId: string | undefined;
  private conflictsWith: readonly string[] = [];

  constructor(
    private readonly state: RunState,
    private readonly calls: RunnerCalls,
    private readonly dirspace: WorkDirspace,
    /** counts the dirspaces of the work */
    private readonly n: number,
  ) {
    const { dir, workspace } = dirspace;
    this.scope = { type: 'dirspace', dir, workspace };
    this.withState = dirspace.state ? { ...dirspace, state: dirspace.state } : undefined;
    const home = join(state.scratch, `dirspace-${n}`);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    this.planFile = join(home, 'plan');
    this.dataDirectory = join(home, 'data');
    const plugins = join(state.scratch, 'plugins');
    mkdirSync(plugins, { recursive: true });
    this.environment = {
      TF_PLUGIN_CACHE_DIR: plugins,
      ...state.environment,
      ...(dirspace.state && dirspace.mode === 'full' ? backendEnvironment(state, dirspace.state) : {}),
      TF_DATA_DIR: this.dataDirectory,
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
      ...(this.txId === undefined ? {} : { transaction_id: this.txId }),
      ...(this.conflictsWith.length > 0 ? { conflicts_with: [...this.conflictsWith] } : {}),
    };
  }

  private get isDelta(): boolean {
    return this.dirspace.mode === 'delta';
  }

  private async step(spec: StepSpec, { hasSucceeded }: { hasSucceeded: boolean }): Promise<boolean> {
    if (this.state.signal.aborted) return false;
    try {
      const cwd = directoryIn(this.state.root, this.dirspace.dir);
      switch (spec.type) {
        case 'init':
        case 'plan':
        case 'apply':
          if (this.dirspace.refusal !== undefined) throw new Failure('STATE_REFUSED', this.dirspace.refusal);
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
      if (error instanceof TransactionConflict) this.conflictsWith = error.others;
      const { message, hint } = failureOf(error);
      const text = hint === undefined ? message : `${message} (${hint})`;
      const writer = this.state.reports.writer(this.scope);
      void writer.write(`${text}\n`);
      writer.end();
      await this.report(`tf/${spec.type}`, { success: false, payload: { text } });
      return false;
    }
  }

  private async init(cwd: string, extra: readonly string[]): Promise<boolean> {
    const args = ['init', '-input=false', '-no-color', ...(this.isDelta ? ['-backend=false'] : []), ...extra];
    const turn = initializing.then(() => this.engine(cwd, args));
    initializing = turn.catch(() => undefined);
    const outcome = await turn;
    let { code, text } = outcome;
    if (code === 0 && this.withState && !this.isDelta) requireHttpBackend(this.dataDirectory);
    // The workspace of a state of this service stands in its address.
    if (code === 0 && !this.withState && this.dirspace.workspace !== 'default') {
      if (this.dirspace.workspace.startsWith('-'))
        throw new Failure('WORKSPACE_REFUSED', 'the name of a workspace must not begin with a dash');
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
    if (this.withState && this.isDelta) return this.planDelta(this.withState, cwd, extra);
    const args = [
      'plan',
      '-input=false',
      '-no-color',
      '-detailed-exitcode',
      `-out=${this.planFile}`,
      ...extra,
    ];
    const counts = new PlanCounts();
    const { code, text, stdout } = await this.engine(cwd, args, { show: (part) => counts.write(part) });
    const success = code === 0 || code === 2;
    if (success) {
      this.hasChanges = code === 2;
      this.summary = counts.end() ?? (this.hasChanges ? await this.countsOf(cwd) : NO_CHANGES);
      if (this.hasChanges) await this.calls.storePlan(this.n, readFileSync(this.planFile));
    }
    const shown = success ? { plan: planOf(stdout), has_changes: this.hasChanges } : {};
    await this.report('tf/plan', { success, payload: { text, ...shown } });
    return success;
  }

  /** Applies exactly what was planned: in this run, or in the one that the service names. */
  private async apply(cwd: string, extra: readonly string[]): Promise<boolean> {
    if (this.hasChanges === false) return true;
    if (!existsSync(this.planFile)) {
      if (!this.dirspace.has_plan)
        throw new Failure('PLAN_MISSING', 'there is no plan file for this apply; plan again');
      writeFileSync(this.planFile, await this.calls.readPlan(this.n), { mode: 0o600 });
    }
    if (!this.withState) return this.applyWith(cwd, extra, this.environment);
    try {
      return this.isDelta
        ? await this.applyDelta(this.withState, cwd, extra)
        : await this.applyInSession(this.withState, cwd, extra);
    } finally {
      const name = `${this.state.work.id.slice(0, 8)}-${this.n}`;
      for (const file of keepUndeliveredStates(cwd, name))
        process.stderr.write(`THE STATE COULD NOT BE STORED. Keep this file: ${file}\n`);
    }
  }

  private async applyWith(
    cwd: string,
    extra: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<boolean> {
    const args = ['apply', '-input=false', '-no-color', ...extra, this.planFile];
    const { code, text } = await this.engine(cwd, args, { env });
    await this.report('tf/apply', { success: code === 0, payload: { text } });
    return code === 0;
  }

  private async planDelta(
    dirspace: StateDirspace,
    cwd: string,
    extraArgs: readonly string[],
  ): Promise<boolean> {
    const { place, text, end } = await this.deltaPlace(cwd, extraArgs);
    try {
      const { hasChanges, summary, txId, plan } = await planDelta(this.state, dirspace, place);
      this.hasChanges = hasChanges;
      this.summary = summary;
      this.txId = txId;
      if (hasChanges) await this.calls.storePlan(this.n, readFileSync(this.planFile));
      const payload = { text: text(), plan, has_changes: hasChanges, transaction_id: txId };
      await this.report('tf/plan', { success: true, payload });
      return true;
    } catch (error) {
      throw this.withOutput(error, text());
    } finally {
      end();
    }
  }

  private async applyDelta(
    dirspace: StateDirspace,
    cwd: string,
    extraArgs: readonly string[],
  ): Promise<boolean> {
    const { place, text, end } = await this.deltaPlace(cwd, extraArgs);
    try {
      this.txId = await applyDelta(this.state, dirspace, place);
      await this.report('tf/apply', { success: true, payload: { text: text(), transaction_id: this.txId } });
      return true;
    } catch (error) {
      throw this.withOutput(error, text());
    } finally {
      end();
    }
  }

  /** The writes of the apply land in one transaction. */
  private async applyInSession(
    dirspace: StateDirspace,
    cwd: string,
    extra: readonly string[],
  ): Promise<boolean> {
    const say = (text: string): void => void process.stderr.write(text);
    const session = await ApplySession.begin(contextOf(this.state, dirspace, { env: this.environment, say }));
    this.state.masker.add(session.token);
    this.txId = session.txId;
    let hasSucceeded = false;
    try {
      hasSucceeded = await this.applyWith(cwd, extra, {
        ...this.environment,
        TF_HTTP_PASSWORD: session.token,
      });
    } finally {
      await session.end({ hasSucceeded });
    }
    return hasSucceeded;
  }

  private async deltaPlace(cwd: string, extraArgs: readonly string[]) {
    const program = await findEngine(this.dirspace.engine, this.environment, cwd);
    const writer = this.state.reports.writer(this.scope);
    let said = '';
    const env = {
      ...toolEnvironment(this.environment),
      INFRASTATE_TERRAFORM: program,
      INFRASTATE_CACHE_HOME: join(this.state.scratch, 'cache'),
    };
    const show = (text: string): void => {
      said += text;
      void writer.write(text);
    };
    return {
      place: { cwd, env, planFile: this.planFile, show, extraArgs },
      text: () => said,
      end: () => writer.end(),
    };
  }

  /** People see what was printed before the failure, too. */
  private withOutput(error: unknown, text: string): unknown {
    if (text === '' || error instanceof TransactionConflict || !(error instanceof Failure)) return error;
    return new Failure(error.id, `${text.trimEnd()}\n${error.message}`, error.hint);
  }

  private async engine(
    cwd: string,
    args: readonly string[],
    {
      env = this.environment,
      show,
    }: { env?: Readonly<Record<string, string>>; show?: (text: string) => void } = {},
  ): Promise<ProcessOutcome> {
    const program = await findEngine(this.dirspace.engine, this.environment, cwd);
    const writer = this.state.reports.writer(this.scope);
    const outcome = await runProcess(program, args, {
      cwd,
      env: toolEnvironment(env),
      show: (text) => {
        show?.(text);
        return writer.write(text);
      },
      signal: this.state.signal,
    });
    writer.end();
    return outcome;
  }

  /**
   * Of a plan without a printed summary, such as one that changes outputs only. Values of the plan stay here, and only
   * the counts go on; they are unknown where the JSON is too large to be kept.
   */
  private async countsOf(cwd: string): Promise<Counts | undefined> {
    const program = await findEngine(this.dirspace.engine, this.environment, cwd);
    const { code, stdout } = await runProcess(program, ['show', '-json', this.planFile], {
      cwd,
      env: toolEnvironment(this.environment),
      signal: this.state.signal,
    });
    if (code !== 0 || stdout.length >= MAX_KEPT_CHARACTERS) return undefined;
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
