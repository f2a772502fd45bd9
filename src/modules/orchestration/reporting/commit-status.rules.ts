import { type Dirspace, dirspaceKey, type DirspaceKey } from '../../repo-config/index.js';
import type { CommitStatus, StatusState } from '../../vcs/index.js';
import type { DirspaceState } from '../entities/work-manifest-dirspace.entity.js';
import { type DirspaceProgress, isDone, type Progress } from '../runs/run-progress.queries.js';

const NONE: DirspaceProgress = { plan: undefined, apply: undefined };

/**
 * The two statuses of a whole pull request, and two of each dirspace, from how far its dirspaces are (notes 9.9).
 * @param givenUp type of the newest run of a dirspace, where that one was given up
 */
export function commitStatuses(
  changed: readonly Dirspace[],
  progress: Progress,
  givenUp: ReadonlyMap<DirspaceKey, string> = new Map(),
): CommitStatus[] {
  const states = changed.map((dirspace) => {
    const key = dirspaceKey(dirspace);
    const of = progress.get(key) ?? NONE;
    const lost = givenUp.get(key);
    return {
      name: `${dirspace.dir} ${dirspace.workspace}`,
      plan: lost === 'plan' ? LOST : planStatus(of),
      apply: lost === 'apply' ? LOST : applyStatus(of),
    };
  });
  const plan = overall(states.map((each) => each.plan?.state));
  const apply = overall(states.map((each) => each.apply.state));
  return [
    { context: 'infrastate plan', state: plan, description: describe(plan, changed.length, 'planned') },
    { context: 'infrastate apply', state: apply, description: describe(apply, changed.length, 'applied') },
    ...states.flatMap(({ name, plan: planned, apply: applied }) => [
      ...(planned?.description === undefined
        ? []
        : [{ context: `infrastate plan: ${name}`, state: planned.state, description: planned.description }]),
      ...(applied.description === undefined
        ? []
        : [{ context: `infrastate apply: ${name}`, state: applied.state, description: applied.description }]),
    ]),
  ];
}

/** Without a description a dirspace has no status of its own. */
interface DirspaceStatus {
  state: StatusState;
  description?: string;
}
const LOST: DirspaceStatus = { state: 'failure', description: 'given up; see the comment' };

/** A dirspace that waits for what it depends on is not planned yet, which is no reason to hold the plan's status back. */
function planStatus({ plan, apply }: DirspaceProgress): DirspaceStatus | undefined {
  if (!plan) return apply?.state === 'success' ? { state: 'success' } : undefined;
  return { state: stateOf(plan.state), description: sentence(plan.state) };
}

function applyStatus(progress: DirspaceProgress): DirspaceStatus {
  const { apply } = progress;
  const description = apply && sentence(apply.state);
  const state = isDone(progress) ? 'success' : apply === undefined ? 'pending' : stateOf(apply.state);
  return { state, ...(description === undefined ? {} : { description }) };
}

function stateOf(state: DirspaceState): StatusState {
  if (state === 'success') return 'success';
  return state === 'failure' || state === 'unknown' ? 'failure' : 'pending';
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

function sentence(state: string): string {
  return state === 'unknown' ? 'ended without a result' : state;
}
