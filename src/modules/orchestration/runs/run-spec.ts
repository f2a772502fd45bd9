import type { Dirspace, EngineConfig, Hook, StateReference, WorkflowStep } from '../../repo-config/index.js';
import { runOrder } from './run-order.rules.js';

/** What a runner is told of a dirspace. */
export interface DirspaceSpec {
  dir: string;
  workspace: string;
  tags: string[];
  engine: EngineConfig;
  mode: 'delta' | 'full';
  state?: StateReference;
  /** which of the run's `dependencyLists` must be done first */
  dependsOn?: number;
  steps: WorkflowStep[];
}

/** What a runner is told of a run, besides what lists show of it. */
export interface RunSpec {
  checkout: 'merge' | 'head';
  parallel: number;
  hooks: { pre: Hook[]; post: Hook[] };
  dirspaces: DirspaceSpec[];
  /** positions of dirspaces; absent when no dirspace depends on another one of the run */
  dependencyLists?: number[][];
  /** state groups that the base branch names */
  trustedStateGroups: string[];
  /** of a run of type `build-config`: the command of the base branch that prints the configuration */
  command?: string[];
}

/** The dirspaces of a run, and what each of them waits for in it; `among`: every dirspace of the commit. */
export function dirspaceSpecs(
  dirspaces: readonly Dirspace[],
  run: { runType: 'plan' | 'apply'; appliesPlan: boolean; among?: readonly Dirspace[] | undefined },
): Pick<RunSpec, 'dirspaces' | 'dependencyLists'> {
  const { lists, listOf } = runOrder(dirspaces, run.among);
  const specs = dirspaces.map((dirspace, position) => {
    const dependsOn = listOf[position];
    return { ...dirspaceSpec(dirspace, run), ...(dependsOn === undefined ? {} : { dependsOn }) };
  });
  return { dirspaces: specs, ...(lists.length > 0 ? { dependencyLists: lists } : {}) };
}

function dirspaceSpec(
  dirspace: Dirspace,
  run: { runType: 'plan' | 'apply'; appliesPlan: boolean },
): DirspaceSpec {
  const { dir, workspace, tags, engine, mode, state, planSteps, applySteps } = dirspace;
  const steps =
    run.runType === 'plan' ? planSteps : run.appliesPlan ? planAndApply(planSteps, applySteps) : applySteps;
  return { dir, workspace, tags, engine, mode, ...(state ? { state } : {}), steps };
}

/** The steps of a plan, then those of an apply without a second `init`. */
function planAndApply(plan: readonly WorkflowStep[], apply: readonly WorkflowStep[]): WorkflowStep[] {
  return [...plan, ...apply.filter(({ type }) => type !== 'init')];
}

/** A state as a dirspace asks for it. */
export interface DirspaceStateRequest {
  position: number;
  groupId: string;
  workspace: string;
  /** for a state that does not exist yet */
  name: string;
}

/** The state of a dirspace as its runner is told, or why the run may not use it. */
export type RunStateOutcome =
  | { state: { state_id: string; group_id: string; workspace: string; tenant_id: string } }
  | { refusal: string };
