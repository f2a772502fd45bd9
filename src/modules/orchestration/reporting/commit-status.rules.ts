import { createHash } from 'node:crypto';
import { type Dirspace, dirspaceKey, type DirspaceKey } from '../../repo-config/index.js';
import type { CommitStatus, StatusState } from '../../vcs/index.js';
import { plainText } from './comment-text.rules.js';
import {
  type DirspaceProgress,
  type DirspaceRun,
  isDone,
  type Progress,
} from '../runs/run-progress.queries.js';

const MAX_NAME_LENGTH = 200;
const NONE: DirspaceProgress = { plan: undefined, apply: undefined };

/**
 * The two statuses of a whole pull request, and two of each dirspace, from how far its dirspaces are (notes 9.9).
 * @param givenUp type of the newest run of a dirspace, where that one was given up
 * @param attempted dirspaces whose apply has a status already, which a newer plan replaces
 */
export function commitStatuses(
  changed: readonly Dirspace[],
  progress: Progress,
  givenUp: ReadonlyMap<DirspaceKey, string> = new Map(),
  attempted: ReadonlySet<DirspaceKey> = new Set(),
): CommitStatus[] {
  const states = changed.map((dirspace) => {
    const key = dirspaceKey(dirspace);
    const of = progress.get(key) ?? NONE;
    const lost = givenUp.get(key);
    const plan = lost === 'plan' ? 'failure' : planState(of);
    const apply = lost === 'apply' ? 'failure' : applyState(of);
    return { name: nameOf(dirspace), of, lost, plan, apply, wasAttempted: attempted.has(key) };
  });
  const plan = overall(states.map((each) => each.plan));
  const apply = overall(states.map((each) => each.apply));
  return [
    { context: 'infrastate plan', state: plan, description: describe(plan, changed.length, 'planned') },
    { context: 'infrastate apply', state: apply, description: describe(apply, changed.length, 'applied') },
    ...states.flatMap(({ name, lost }) => (lost === undefined ? [] : [givenUpStatus(name, lost)])),
    ...states.flatMap(({ name, of, lost, plan: planned, apply: applied, wasAttempted }) => [
      ...(of.plan && planned && lost !== 'plan'
        ? [{ context: `infrastate plan: ${name}`, state: planned, description: sentence(of.plan) }]
        : []),
      ...((of.apply || wasAttempted) && lost !== 'apply'
        ? [
            {
              context: `infrastate apply: ${name}`,
              state: applied,
              description: applySentence(of.apply, applied),
            },
          ]
        : []),
    ]),
  ];
}

/** Providers refuse contexts of more than 255 characters, and show no control characters in them. */
function nameOf({ dir, workspace }: Dirspace): string {
  const name = plainText(`${dir} ${workspace}`).replace(/\s/g, ' ');
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(dirspaceKey({ dir, workspace })).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH - 10).replace(/[\ud800-\udbff]$/, '')}… ${hash}`;
}

function givenUpStatus(name: string, runType: string): CommitStatus {
  return {
    context: `infrastate ${runType}: ${name}`,
    state: 'failure',
    description: 'given up; see the comment',
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

function describe(state: StatusState, count: number, done: string): string {
  if (count === 0) return 'nothing to do';
  if (state === 'pending') return 'waiting';
  return state === 'success'
    ? `${count} ${count === 1 ? 'directory' : 'directories'} ${done}`
    : 'failed; see the comment';
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
