import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, failureOf } from '../failure.js';
import { TransactionConflict } from '../run/apply-run.js';
import { readPlan } from '../run/plan-file.js';
import { directoryIn } from './checkout.js';
import { applyDelta, planDelta } from './delta.js';
import { DirspaceEngine } from './dirspace-engine.js';
import { DirspaceInit } from './dirspace-init.js';
import type { StepResult } from './hooks/hook-step.js';
import { runHook } from './hooks/hooks.js';
import { MAX_KEPT_CHARACTERS } from './processes.js';
import { type Counts, countsIn, NO_CHANGES, PlanCounts, shownPlan } from './plan-counts.js';
import {
  type DirspaceResult,
  type RunnerCalls,
  RunIsOver,
  type Scope,
  type StepSpec,
  type WorkDirspace,
} from './protocol.js';
import { type RunState, toolEnvironment } from './run-state.js';
import {
  ApplySession,
  backendEnvironment,
  contextOf,
  keepUndeliveredStates,
  type StateDirspace,
} from './service-states.js';
import { timeLimitOf } from './time-limit.js';

/** One directory in a workspace, step by step. A failure ends it and no other one. */
export class DirspaceRun {
  private readonly scope: Scope;
  private readonly environment: Record<string, string>;
  /** what `env` steps of this directory set is for no other one */
  private readonly handedOn: Set<string>;
  private readonly planFile: string;
  private readonly engine: DirspaceEngine;
  private readonly initialization: DirspaceInit;
  /** with a state of this service */
  private readonly withState: StateDirspace | undefined;
  private hasChanges: boolean | undefined;
  /** of a step `init` that others do not wait for */
  private initialized: Promise<boolean> = Promise.resolve(true);
  private summary: Counts | undefined;
  private txId: string | undefined;
  private conflictsWith: readonly string[] = [];
  /** a failure of Terraform was reported */
  private hasFailed = false;

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
    const dataDirectory = join(home, 'data');
    const plugins = join(state.scratch, 'plugins');
    mkdirSync(plugins, { recursive: true });
    this.environment = {
      TF_PLUGIN_CACHE_DIR: plugins,
      ...state.environment,
      ...(dirspace.state && dirspace.mode === 'full' ? backendEnvironment(state, dirspace.state) : {}),
      TF_DATA_DIR: dataDirectory,
      INFRASTATE_DIR: dir,
      INFRASTATE_WORKSPACE: workspace,
      INFRASTATE_PLAN_FILE: this.planFile,
    };
    this.handedOn = new Set(state.handedOn);
    const { environment, handedOn } = this;
    this.engine = new DirspaceEngine(state, dirspace.engine, this.scope, { environment, handedOn });
    this.initialization = new DirspaceInit(this.engine, dirspace, dataDirectory, environment);
  }

  async run(): Promise<DirspaceResult> {
    const { dir, workspace, steps } = this.dirspace;
    let success = true;
    for (const [at, step] of steps.entries()) {
      const isOverlapping = success && step.type === 'init' && this.plansNext(steps[at + 1]);
      if (isOverlapping) this.initialized = this.step(step, { hasSucceeded: success });
      else success = (await this.step(step, { hasSucceeded: success })) && success;
    }
    if (!success && !this.hasFailed && timeLimitOf(this.state.signal))
      await this.report(`tf/${this.state.work.run_type}`, { success: false, payload: {} });
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

  /** The client's planning reads the configuration, and tells the service what changed, while providers are installed. */
  private plansNext(next: StepSpec | undefined): boolean {
    return this.withState !== undefined && this.isDelta && next?.type === 'plan';
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
            handedOn: this.handedOn,
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
    const lock = await this.plannedLock();
    const { success, text } =
      lock === undefined
        ? await this.initialization.run(cwd, extra)
        : await this.initialization.installLocked(cwd, lock, extra);
    await this.report('tf/init', { success, payload: { text } });
    return success;
  }

  /** Lock file of the plan that is applied and nothing else; undefined where the whole configuration is needed. */
  private async plannedLock(): Promise<string | null | undefined> {
    const types = this.dirspace.steps.map(({ type }) => type).join();
    if (!this.withState || !this.isDelta || types !== 'init,apply') return undefined;
    try {
      await this.fetchPlan();
      const { lock, has_private_values: needsValues } = readPlan(
        this.planFile,
        this.state.apiBase.replace(/\/+$/, ''),
      );
      return needsValues ? undefined : lock;
    } catch (error) {
      if (error instanceof RunIsOver) throw error;
      // The step `apply` says what is wrong with its plan.
      return undefined;
    }
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
    const { code, text, stdout } = await this.engine.run(cwd, args, { show: (part) => counts.write(part) });
    const success = code === 0 || code === 2;
    if (success) {
      this.hasChanges = code === 2;
      this.summary = counts.end() ?? (this.hasChanges ? await this.countsOf(cwd) : NO_CHANGES);
      if (this.hasChanges) await this.calls.storePlan(this.n, readFileSync(this.planFile));
    }
    const shown = success ? { plan: shownPlan(stdout), has_changes: this.hasChanges } : {};
    await this.report('tf/plan', { success, payload: { text, ...shown } });
    return success;
  }

  /** Applies exactly what was planned: in this run, or in the one that the service names. */
  private async apply(cwd: string, extra: readonly string[]): Promise<boolean> {
    if (this.hasChanges === false) return true;
    await this.fetchPlan();
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

  private async fetchPlan(): Promise<void> {
    if (existsSync(this.planFile)) return;
    if (!this.dirspace.has_plan)
      throw new Failure('PLAN_MISSING', 'there is no plan file for this apply; plan again');
    writeFileSync(this.planFile, await this.calls.readPlan(this.n), { mode: 0o600 });
  }

  private async applyWith(
    cwd: string,
    extra: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<boolean> {
    const args = ['apply', '-input=false', '-no-color', ...extra, this.planFile];
    const { code, text } = await this.engine.run(cwd, args, { env });
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
      if (!(await this.initialized)) return false;
      // The live log need not wait for the plan file, and the results of the run need not wait for the live log.
      void this.state.reports.flush();
      this.hasChanges = hasChanges;
      this.summary = summary;
      this.txId = txId;
      if (hasChanges) await this.calls.storePlan(this.n, readFileSync(this.planFile));
      const payload = { text: text(), plan, has_changes: hasChanges, transaction_id: txId };
      await this.report('tf/plan', { success: true, payload });
      return true;
    } catch (error) {
      // What failed is `init`, and was reported as that.
      if (!(await this.initialized)) return false;
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
    const say = (text: string): void => void process.stderr.write(this.state.masker.mask(text));
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
    const program = await this.engine.find(cwd);
    const writer = this.state.reports.writer(this.scope);
    let said = '';
    const env = {
      ...toolEnvironment(this.environment, this.handedOn),
      INFRASTATE_TERRAFORM: program,
    };
    const show = (text: string): void => {
      said += text;
      void writer.write(text);
    };
    const installed = this.requireInit();
    installed.catch(() => undefined);
    return {
      place: { cwd, env, planFile: this.planFile, show, extraArgs, installed },
      text: () => said,
      end: () => writer.end(),
    };
  }

  private async requireInit(): Promise<void> {
    if (!(await this.initialized)) throw new Failure('INIT_FAILED', 'the directory could not be initialized');
  }

  /** People see what was printed before the failure, too. */
  private withOutput(error: unknown, text: string): unknown {
    if (text === '' || error instanceof TransactionConflict || !(error instanceof Failure)) return error;
    return new Failure(error.id, `${text.trimEnd()}\n${error.message}`, error.hint);
  }

  /**
   * Of a plan without a printed summary, such as one that changes outputs only. Values of the plan stay here, and only
   * the counts go on; they are unknown where the JSON is too large to be kept.
   */
  private async countsOf(cwd: string): Promise<Counts | undefined> {
    const { code, stdout } = await this.engine.runSilently(cwd, ['show', '-json', this.planFile]);
    return code !== 0 || stdout.length >= MAX_KEPT_CHARACTERS ? undefined : countsIn(stdout);
  }

  private report(step: string, { success, payload }: StepResult): Promise<void> {
    this.hasFailed ||= !success;
    return this.state.reports.step({
      scope: this.scope,
      step,
      state: success ? 'success' : 'failure',
      payload,
    });
  }
}
