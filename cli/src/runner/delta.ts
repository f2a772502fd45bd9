import { plannedFrom, planHere, summaryOf } from '../commands/planning.js';
import type { PlanOptions } from '../commands/plan-options.js';
import { Failure } from '../failure.js';
import { applyRun } from '../run/apply-run.js';
import { Calls, insistently } from '../run/calls.js';
import { Interruption } from '../run/interruption.js';
import { reportLostRuns } from '../run/lost-runs.js';
import { savePlan } from '../run/plan-file.js';
import { abortQuietly } from '../run/plan-run.js';
import { PrivateDirectory } from '../run/private-directory.js';
import type { RunContext } from '../run/run-context.js';
import { planText } from '../run/terraform.js';
import type { RunState } from './run-state.js';
import { contextOf, type StateDirspace } from './service-states.js';

interface DeltaPlace {
  cwd: string;
  env: Readonly<Record<string, string>>;
  planFile: string;
  /** shows text as it comes */
  show: (text: string) => void;
  extraArgs: readonly string[];
  /** ends when modules and providers are installed */
  installed: Promise<void>;
}

export interface DeltaPlan {
  hasChanges: boolean;
  summary: { add: number; change: number; destroy: number };
  txId: string | undefined;
  plan: string;
}

/** Plans what changed, with the planning of `infrastate plan`; the plan file holds the planned transaction. */
export async function planDelta(
  state: RunState,
  dirspace: StateDirspace,
  place: DeltaPlace,
): Promise<DeltaPlan> {
  let said = '';
  const show = (text: string): void => {
    said += text;
    place.show(text);
  };
  return withDirspace(state, dirspace, { ...place, show }, async (run) => {
    const options = { ...optionsOf(place.extraArgs), state: dirspace.state.state_id };
    // Only a refresh of everything finds what somebody changed behind the configuration's back.
    const full = state.work.kind === 'drift';
    // A plan changes nothing: it is made again where the service cannot be reached in the middle of it.
    const planned = await insistently(() => planHere(run, { ...options, full }));
    if (!planned?.hasChanges) {
      if (planned) await abortQuietly(run, planned.txId);
      return {
        hasChanges: false,
        summary: { add: 0, change: 0, destroy: 0 },
        txId: undefined,
        plan: 'No changes.',
      };
    }
    savePlan(place.planFile, run.context.address, planned);
    return { hasChanges: true, summary: summaryOf(planned), txId: planned.txId, plan: planText(said) };
  });
}

/** Applies the planned transaction. Throws `TransactionConflict` where somebody else was first. */
export async function applyDelta(
  state: RunState,
  dirspace: StateDirspace,
  place: DeltaPlace,
): Promise<string> {
  return withDirspace(state, dirspace, place, async (run) => {
    const options = optionsOf(place.extraArgs);
    const planned = plannedFrom(run, place.planFile, options);
    await applyRun(
      run,
      planned,
      run.home,
      options.parallelism ? [`-parallelism=${options.parallelism}`] : [],
    );
    return planned.txId;
  });
}

async function withDirspace<T>(
  state: RunState,
  dirspace: StateDirspace,
  { cwd, env, show, installed }: DeltaPlace,
  work: (run: RunContext) => Promise<T>,
): Promise<T> {
  const interruption = new Interruption(state.signal);
  const directory = new PrivateDirectory();
  try {
    const context = contextOf(state, dirspace, { env, say: show });
    const run: RunContext = {
      context,
      calls: new Calls(context.api()),
      interruption,
      directory,
      home: cwd,
      mask: (text) => state.masker.mask(text),
      show,
      // The directories of a run go with it.
      hasCaches: false,
      installed,
      killAfterMs: state.killAfterMs,
    };
    // What a killed runner of this machine reached is reported; that it cannot be is no reason to do nothing.
    await reportLostRuns(run).catch((error: unknown) => show(`${String(error)}\n`));
    return await work(run);
  } finally {
    directory.remove();
    interruption.end();
  }
}

/** Terraform's arguments of a step, as far as the client's planning knows them. */
function optionsOf(args: readonly string[]): PlanOptions {
  const options: PlanOptions & { variables: NonNullable<PlanOptions['variables']> } = { variables: [] };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name = '', inline] = /^--?([a-z-]+)(?:=([^]*))?$/.exec(arg) ?? [];
    const value = (): string => inline ?? rest.shift() ?? '';
    if (name === 'var') options.variables.push({ kind: 'var', text: value() });
    else if (name === 'var-file') options.variables.push({ kind: 'file', path: value() });
    else if (name === 'refresh') options.refresh = value();
    else if (name === 'parallelism') options.parallelism = value();
    else
      throw new Failure(
        'ARGUMENT_UNKNOWN',
        `${arg} is not known to plans of what changed`,
        'use `mode: full` for this directory',
      );
  }
  return options;
}
