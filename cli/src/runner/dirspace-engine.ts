import { findEngine } from './engine.js';
import type { StepPlace } from './hooks/hook-step.js';
import { type ProcessOutcome, runProcess } from './processes.js';
import type { Engine, Scope } from './protocol.js';
import { type RunState, toolEnvironment } from './run-state.js';
import { untilStopped } from './until-stopped.js';

interface EngineOptions {
  env?: Readonly<Record<string, string>>;
  /** gets what is printed, as it comes */
  show?: (text: string) => void;
}

/** Terraform or OpenTofu of one dirspace. What it prints goes into the live log. */
export class DirspaceEngine {
  constructor(
    private readonly state: RunState,
    private readonly engine: Engine,
    private readonly scope: Scope,
    /** changed by `env` hooks */
    private readonly variables: Pick<StepPlace, 'environment' | 'handedOn'>,
  ) {}

  find(cwd: string): Promise<string> {
    return findEngine(this.engine, this.variables.environment, cwd, this.state);
  }

  /** Waits for work of other runs, unless this run is stopped. */
  waitFor<T>(work: Promise<T>): Promise<T> {
    return untilStopped(work, this.state.signal);
  }

  async run(
    cwd: string,
    args: readonly string[],
    { env = this.variables.environment, show }: EngineOptions = {},
  ): Promise<ProcessOutcome> {
    const program = await this.find(cwd);
    const writer = this.state.reports.writer(this.scope);
    const outcome = await runProcess(program, args, {
      cwd,
      env: toolEnvironment(env, this.variables.handedOn),
      show: (text) => {
        show?.(text);
        return writer.write(text);
      },
      signal: this.state.signal,
      killAfterMs: this.state.killAfterMs,
    });
    writer.end();
    return outcome;
  }

  /** Without the live log: what it prints may hold values. */
  async runSilently(cwd: string, args: readonly string[]): Promise<ProcessOutcome> {
    return runProcess(await this.find(cwd), args, {
      cwd,
      env: toolEnvironment(this.variables.environment, this.variables.handedOn),
      signal: this.state.signal,
      killAfterMs: this.state.killAfterMs,
    });
  }
}
