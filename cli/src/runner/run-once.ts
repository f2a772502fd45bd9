import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { clientVersion } from '../client-version.js';
import { Failure, failureOf } from '../failure.js';
import { PrivateDirectory } from '../run/private-directory.js';
import { baseEnvironment, hide, type RunState, tokensOf } from './run-state.js';
import { findArtifact } from './artifact-run.js';
import { checkOut } from './checkout.js';
import { type JobCheckout, withCheckout } from './job-checkout.js';
import { runInOrder } from './dirspace-order.js';
import { DirspaceRun } from './dirspace-run.js';
import { runHooks } from './hooks/hooks.js';
import { Masker } from './masking.rules.js';
import { KILL_AFTER_MS } from './processes.js';
import { type DirspaceResult, RunIsOver, RunnerCalls, type Work, type WorkDirspace } from './protocol.js';
import { Reports } from './reports.js';
import { limitTime, type Schedule, timeLimitOf } from './time-limit.js';

/** Exit codes of a run. */
export const DONE = 0;
export const FAILED = 1;
export const NOT_OURS = 3;

export interface RunRequest {
  workToken: string;
  apiBase: string;
  env: Readonly<Record<string, string | undefined>>;
  log: (text: string) => void;
  /** aborted when the process is to end: the run stops what it does and reports what it has */
  interrupted?: AbortSignal;
  /** of the CI job of this run; without it the service names a credential */
  checkout?: JobCheckout | undefined;
  /** how long a program may take to end after SIGINT; commands leave the default */
  killAfterMs?: number;
  /** waits for the end of `timeout_minutes`; commands leave the default */
  after?: Schedule;
}

/** The CI job was cancelled, or the machine goes down. */
class Interrupted extends Failure {}

/** Does one run from its beginning to its last report. */
export async function runOnce(request: RunRequest): Promise<number> {
  const { workToken, apiBase, env, log, interrupted, killAfterMs, after } = request;
  const calls = new RunnerCalls(apiBase, workToken);
  const masker = new Masker();
  for (const secret of new Set([workToken, ...tokensOf(env)])) hide(masker, secret, env);
  const over = new AbortController();
  const onInterrupt = (): void => over.abort(new Interrupted('INTERRUPTED', 'the runner was stopped'));
  let heartbeat: NodeJS.Timeout | undefined;
  let endLimit = (): void => undefined;
  const directory = new PrivateDirectory();
  try {
    const runId = env['GITHUB_RUN_ID'] ?? env['CI_PIPELINE_ID'] ?? `runner-${randomUUID()}`;
    const begun = await calls.initiate({
      hasCheckout: request.checkout !== undefined,
      run_id: runId,
      nonce: randomUUID(),
      version: clientVersion(),
      name: hostname(),
    });
    const begunAt = performance.now();
    hide(masker, begun.token, env);
    const stop = (error: unknown): void => over.abort(error);
    interrupted?.addEventListener('abort', onInterrupt, { once: true });
    if (interrupted?.aborted) onInterrupt();
    heartbeat = setInterval(
      () => void calls.heartbeat().catch((error: unknown) => error instanceof RunIsOver && stop(error)),
      begun.heartbeatSeconds * 1000,
    );
    const work = withCheckout(await calls.work(), request.checkout);
    for (const secret of secretsOf(work)) hide(masker, secret, env);
    endLimit = limitTime(work, { begunAt, after }, (reason) => {
      log(`${reason.message}\n`);
      over.abort(reason);
    });
    const count = work.dirspaces.length;
    log(
      `run ${begun.workManifestId}: ${work.run_type} of ${count} ${count === 1 ? 'directory' : 'directories'}\n`,
    );
    const state = stateOf(work, {
      directory: directory.path,
      apiBase,
      token: begun.token,
      env,
      masker,
      over,
      calls,
      stop,
      killAfterMs,
    });
    return await new WholeRun(state, calls).run();
  } catch (error) {
    if (error instanceof RunIsOver || over.signal.reason instanceof RunIsOver) {
      log(`this run is over: ${failureOf(over.signal.reason ?? error).message}\n`);
      return NOT_OURS;
    }
    throw error;
  } finally {
    clearInterval(heartbeat);
    endLimit();
    interrupted?.removeEventListener('abort', onInterrupt);
    directory.remove();
  }
}

function secretsOf({ checkout, state_token: ofStates }: Work): string[] {
  return [checkout.password, ofStates ?? ''].filter((secret) => secret !== '');
}

function stateOf(
  work: Work,
  of: {
    directory: string;
    apiBase: string;
    token: string;
    env: RunRequest['env'];
    masker: Masker;
    over: AbortController;
    calls: RunnerCalls;
    stop: (error: RunIsOver) => void;
    killAfterMs: number | undefined;
  },
): RunState {
  const root = join(of.directory, 'checkout');
  const scratch = join(of.directory, 'scratch');
  mkdirSync(root, { mode: 0o700 });
  mkdirSync(scratch, { mode: 0o700 });
  return {
    work,
    apiBase: of.apiBase,
    token: of.token,
    root,
    scratch,
    environment: baseEnvironment(of.env, { root, work }),
    masker: of.masker,
    reports: new Reports(of.calls, of.masker, of.stop, () => timeLimitOf(of.over.signal)?.message),
    gates: [],
    handedOn: new Set(),
    signal: of.over.signal,
    killAfterMs: of.killAfterMs ?? KILL_AFTER_MS,
  };
}

class WholeRun {
  constructor(
    private readonly state: RunState,
    private readonly calls: RunnerCalls,
  ) {}

  async run(): Promise<number> {
    const { work, reports, gates } = this.state;
    try {
      if (work.run_type === 'index' || work.run_type === 'build-config') return await this.artifact();
      const prepared = await this.prepare();
      // With the time limit every directory says why nothing came of it.
      const isListed = prepared || timeLimitOf(this.state.signal) !== undefined;
      const dirspaces = isListed ? await this.dirspaces() : work.dirspaces.map(failed);
      const succeeded = prepared && dirspaces.every(({ success }) => success);
      const results = join(this.state.scratch, 'results.json');
      writeFileSync(results, JSON.stringify({ success: succeeded, dirspaces }), { mode: 0o600 });
      this.state.environment['INFRASTATE_RESULTS_FILE'] = results;
      const posted = await runHooks(work.hooks.post, this.state, {
        subflow: 'post',
        hasSucceeded: succeeded,
      });
      await reports.end();
      // What an apply did is said even when the run was given up meanwhile.
      await this.calls.results({
        success: succeeded && posted,
        dirspaces,
        ...(gates.length > 0 ? { gates: this.state.masker.maskAll(gates) } : {}),
      });
      return succeeded && posted ? DONE : FAILED;
    } finally {
      await reports.end();
    }
  }

  private async artifact(): Promise<number> {
    const success = await findArtifact(this.state);
    await this.state.reports.end();
    await this.calls.results({ success, dirspaces: [] });
    return success ? DONE : FAILED;
  }

  private async prepare(): Promise<boolean> {
    const { work, root, environment, signal } = this.state;
    try {
      await checkOut(work, root, environment, signal);
    } catch (error) {
      await this.state.reports.step({
        scope: { type: 'run', flow: 'hooks', subflow: 'pre' },
        step: 'checkout',
        state: 'failure',
        payload: { text: failureOf(error).message },
      });
      return false;
    }
    return runHooks(work.hooks.pre, this.state, { subflow: 'pre', hasSucceeded: true });
  }

  /** Several at a time, each after what it depends on. */
  private dirspaces(): Promise<DirspaceResult[]> {
    const { dirspaces, dependency_lists: lists = [], parallel } = this.state.work;
    return runInOrder({
      count: dirspaces.length,
      parallel,
      lists,
      listOf: (n) => dirspaces[n]?.depends_on,
      run: (n) => new DirspaceRun(this.state, this.calls, at(dirspaces, n), n).run(),
      skip: (n, base) => this.skip(at(dirspaces, n), at(dirspaces, base)),
    });
  }

  /** Nothing is applied on top of what failed. A plan changes nothing, so it is made. */
  private skip(dirspace: WorkDirspace, base: WorkDirspace): Promise<DirspaceResult> | undefined {
    const { work, reports, signal } = this.state;
    if (work.run_type !== 'apply' || signal.aborted) return undefined;
    const { dir, workspace } = dirspace;
    const text = `not applied: ${base.dir} (${base.workspace}), which it depends on, has failed`;
    return reports
      .step({
        scope: { type: 'dirspace', dir, workspace },
        step: 'tf/apply',
        state: 'failure',
        payload: { text },
      })
      .then(() => failed(dirspace));
  }
}

function at(dirspaces: readonly WorkDirspace[], n: number): WorkDirspace {
  const dirspace = dirspaces[n];
  if (!dirspace) throw new RangeError(`the run has no directory ${n}`);
  return dirspace;
}

function failed({ dir, workspace }: { dir: string; workspace: string }): DirspaceResult {
  return { dir, workspace, success: false };
}
