import { type Dirspace, dirspaceKey } from '../../repo-config/index.js';
import type { CommitStatus, StatusState } from '../../vcs/index.js';
import {
  type DirspaceProgress,
  type DirspaceRun,
  isDone,
  type Progress,
} from '../runs/run-progress.queries.js';

const NONE: DirspaceProgress = { plan: undefined, apply: undefined };

/** The two statuses of a whole pull request, and two of each dirspace, from how far its dirspaces are (notes 9.9). */
export function commitStatuses(changed: readonly Dirspace[], progress: Progress): CommitStatus[] {
  const states = changed.map((dirspace) => {
    const of = progress.get(dirspaceKey(dirspace)) ?? NONE;
    return { name: `${dirspace.dir} ${dirspace.workspace}`, of, plan: planState(of), apply: applyState(of) };
  });
  const plan = overall(states.map((each) => each.plan));
  const apply = overall(states.map((each) => each.apply));
  return [
    { context: 'infrastate plan', state: plan, description: describe(plan, changed.length, 'planned') },
    { context: 'infrastate apply', state: apply, description: describe(apply, changed.length, 'applied') },
    ...states.flatMap(({ name, of, plan: planned, apply: applied }) => [
      ...(of.plan && planned
        ? [{ context: `infrastate plan: ${name}`, state: planned, description: sentence(of.plan) }]
        : []),
      ...(of.apply
        ? [{ context: `infrastate apply: ${name}`, state: applied, description: sentence(of.apply) }]
        : []),
    ]),
  ];
}

/** A dirspace that waits for what it depends on is not planned yet, which is no reason to hold the plan's status back. */
function planState({ plan, apply }: DirspaceProgress): StatusState | undefined {
  if (!plan) return apply?.state === 'success' ? 'success' : undefined;
  if (plan.hooksFailed) return 'failure';
  if (plan.state === 'success') return 'success';
  return plan.state === 'failure' || plan.state === 'unknown' ? 'failure' : 'pending';
}

function applyState(progress: DirspaceProgress): StatusState {
  const { apply } = progress;
  if (apply?.hooksFailed) return 'failure';
  if (isDone(progress)) return 'success';
  return apply?.state === 'failure' || apply?.state === 'unknown' ? 'failure' : 'pending';
}

function overall(states: readonly (StatusState | undefined)[]): StatusState {
  if (states.includes('failure')) return 'failure';
  return states.includes('pending') ? 'pending' : 'success';
}

function describe(state: StatusState, count: number, done: string): string {
  if (count === 0) return 'nothing to do';
  if (state === 'pending') return 'waiting';
  return state === 'success'
    ? `${count} ${count === 1 ? 'directory' : 'directories'} ${done}`
    : 'failed; see the comment';
}

function sentence({ state, hooksFailed }: DirspaceRun): string {
  if (hooksFailed) return 'a hook failed';
  return state === 'unknown' ? 'ended without a result' : state;
}
