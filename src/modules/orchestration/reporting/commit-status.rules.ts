import { createHash } from 'node:crypto';
import { type Dirspace, dirspaceKey, type DirspaceKey } from '../../repo-config/index.js';
import type { CommitStatus, StatusState } from '../../vcs/index.js';
import { plainText } from '../planning/inline-text.rules.js';
import {
  type DirspaceProgress,
  type DirspaceRun,
  isDone,
  type NewestRuns,
  type Progress,
} from '../runs/run-progress.queries.js';

const MAX_NAME_LENGTH = 200;
/** Dirspaces with statuses of their own: providers take a bounded number of them for a commit, at a bounded rate. */
export const MAX_OWN_STATUSES = 49;
const NONE: DirspaceProgress = { plan: undefined, apply: undefined };

/** What is known of the runs of a commit. */
export interface CommitRuns {
  progress: Progress;
  /** type of the newest run of a dirspace, where that one was given up */
  givenUp?: ReadonlyMap<DirspaceKey, string>;
  /** the newest plan and apply of each dirspace, whatever became of them */
  newest?: ReadonlyMap<DirspaceKey, NewestRuns>;
}

/** `runId`: the run that it leads to; undefined: there is none, or no single one. */
export interface RunStatus extends Omit<CommitStatus, 'targetUrl'> {
  runId: string | undefined;
}

/**
 * The two statuses of a whole pull request, and two of each dirspace, from how far its dirspaces are (notes 9.9). A dirspace
 * has both of its own or, where there are too many, none: one that is set once would not be kept up to date.
 */
export function commitStatuses(
  changed: readonly Dirspace[],
  { progress, givenUp = new Map(), newest = new Map() }: CommitRuns,
): RunStatus[] {
  const states = changed.map((dirspace) => {
    const key = dirspaceKey(dirspace);
    const of = progress.get(key) ?? NONE;
    const lost = givenUp.get(key);
    const plan = lost === 'plan' ? 'failure' : planState(of);
    const apply = lost === 'apply' ? 'failure' : applyState(of);
    return { name: nameOf(dirspace), of, lost, plan, apply, runs: newest.get(key) ?? {} };
  });
  const own = states.slice(0, MAX_OWN_STATUSES);
  return [
    summary(
      'plan',
      states.map(({ plan, runs }) => ({ state: plan, run: runs.plan })),
    ),
    summary(
      'apply',
      states.map(({ apply, runs }) => ({ state: apply, run: runs.apply })),
    ),
    ...own.flatMap(({ name, of, lost, plan, apply, runs }) => [
      ...(lost === undefined ? [] : [givenUpStatus(name, lost, runs)]),
      ...(of.plan && plan && lost !== 'plan'
        ? [
            {
              context: `infrastate plan: ${name}`,
              state: plan,
              description: sentence(of.plan),
              runId: runs.plan?.runId,
            },
          ]
        : []),
      ...((of.apply || runs.apply) && lost !== 'apply'
        ? [
            {
              context: `infrastate apply: ${name}`,
              state: apply,
              description: applySentence(of.apply, apply),
              runId: runs.apply?.runId,
            },
          ]
        : []),
    ]),
  ];
}

/** Leads to the newest run of its type. */
function summary(
  runType: 'plan' | 'apply',
  dirspaces: readonly { state: StatusState | undefined; run: NewestRuns['plan'] }[],
): RunStatus {
  let newest: NewestRuns['plan'];
  for (const { run } of dirspaces)
    if (run && (newest === undefined || run.createdAt > newest.createdAt)) newest = run;
  const states = dirspaces.map(({ state }) => state);
  return {
    context: `infrastate ${runType}`,
    state: overall(states),
    description: describe(states, runType === 'plan' ? 'planned' : 'applied'),
    runId: newest?.runId,
  };
}

/** Providers refuse contexts of more than 255 characters, and show no control characters in them. */
function nameOf({ dir, workspace }: Dirspace): string {
  const name = plainText(`${dir} ${workspace}`).replace(/\s/g, ' ');
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(dirspaceKey({ dir, workspace })).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH - 10).replace(/[\ud800-\udbff]$/, '')}… ${hash}`;
}

function givenUpStatus(name: string, runType: string, runs: NewestRuns): RunStatus {
  return {
    context: `infrastate ${runType}: ${name}`,
    state: 'failure',
    description: 'given up; see the comment',
    runId: (runType === 'apply' ? runs.apply : runs.plan)?.runId,
  };
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

/** How many directories are done: one that waits, or that nobody has asked to plan, is not. */
function describe(states: readonly (StatusState | undefined)[], done: string): string {
  const total = states.length;
  if (total === 0) return 'nothing to do';
  const only = total > MAX_OWN_STATUSES ? `; only ${MAX_OWN_STATUSES} of them have their own status` : '';
  const successes = count(states, 'success');
  switch (overall(states)) {
    case 'failure': {
      const failures = total === 1 ? '' : `${count(states, 'failure')} of ${directories(total)} `;
      return `${failures}failed; see the comment${only}`;
    }
    case 'pending':
      return `${successes === 0 ? 'waiting' : `waiting; ${successes} of ${directories(total)} ${done}`}${only}`;
    case 'success':
      return `${successes === total ? directories(total) : `${successes} of ${directories(total)}`} ${done}${only}`;
  }
}

function count(states: readonly (StatusState | undefined)[], state: StatusState): number {
  return states.filter((each) => each === state).length;
}

function directories(total: number): string {
  return `${total} ${total === 1 ? 'directory' : 'directories'}`;
}

/** Without an apply of the newest plan its plan tells. */
function applySentence(apply: DirspaceRun | undefined, state: StatusState): string {
  if (apply) return sentence(apply);
  return state === 'success' ? 'no changes' : 'waiting';
}

function sentence({ state, hooksFailed }: DirspaceRun): string {
  if (hooksFailed) return 'a hook failed';
  return state === 'unknown' ? 'ended without a result' : state;
}
