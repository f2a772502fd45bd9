import type { CommitStatus } from './code-host.js';
import { idAt, numberAt, objectAt, textAt, wordAt } from './json-fields.js';

/** App that makes a check of each job of a workflow. */
const ACTIONS = 'github-actions';
/** Address of a job; the id of the job is that of its check. */
const JOB_ADDRESS = /\/actions\/runs\/(\d+)\/job\/(\d+)$/;

/** A check run, and what tells where it comes from. */
export interface Check {
  id: number;
  app: string;
  status: CommitStatus;
  /** the run of a workflow that it is a job of; undefined for checks that somebody made through the API */
  workflowRunId: string | undefined;
  suiteId: string | undefined;
}

/** A run of a workflow on a commit. */
export interface WorkflowRun {
  id: string;
  workflowId: string | undefined;
  /** the app dispatched it */
  isOwn: boolean;
}

/** Neutral and skipped checks stand in nobody's way. */
export function toCheck(json: unknown): Check | undefined {
  const id = numberAt(json, 'id');
  const context = wordAt(json, 'name');
  if (id === undefined || context === undefined) return undefined;
  const conclusion = textAt(json, 'conclusion');
  const isDone = textAt(json, 'status') === 'completed';
  const isFine = conclusion === 'success' || conclusion === 'neutral' || conclusion === 'skipped';
  const app = textAt(json, 'app', 'slug') ?? '';
  const address = wordAt(json, 'details_url');
  const [, runId, jobId] = JOB_ADDRESS.exec(address ?? '') ?? [];
  return {
    id,
    app,
    status: {
      context,
      state: !isDone ? 'pending' : isFine ? 'success' : 'failure',
      description: textAt(json, 'output', 'title') ?? '',
      ...(address === undefined ? {} : { targetUrl: address }),
    },
    workflowRunId: app === ACTIONS && jobId === String(id) ? runId : undefined,
    suiteId: idAt(objectAt(json, 'check_suite'), 'id'),
  };
}

/** Whether it matters which runs the checks are jobs of: which of them this service has dispatched, and of which workflow. */
export function needsOrigin(checks: readonly Check[]): boolean {
  return checks.some(({ app, status }) => app === ACTIONS && status.state !== 'success');
}

/** Nobody else can dispatch in the name of the app. Who re-runs it is in `triggering_actor`. */
export function toWorkflowRun(json: unknown, app: unknown): WorkflowRun | undefined {
  const id = idAt(json, 'id');
  if (id === undefined) return undefined;
  const slug = wordAt(app, 'slug');
  const isOwn =
    slug !== undefined &&
    textAt(json, 'event') === 'workflow_dispatch' &&
    textAt(objectAt(json, 'actor'), 'login') === `${slug}[bot]`;
  return { id, workflowId: idAt(json, 'workflow_id'), isOwn };
}

/** The newest check of each name of an app or workflow, without the jobs of runs that the app dispatched. */
export function newestOfOthers(checks: readonly Check[], runs: readonly WorkflowRun[]): CommitStatus[] {
  const runOf = new Map(runs.map((run) => [run.id, run]));
  const newest = new Map<string, Check>();
  for (const check of checks) {
    const run = check.workflowRunId === undefined ? undefined : runOf.get(check.workflowRunId);
    if (run?.isOwn === true) continue;
    const key = JSON.stringify([check.app, ...sourceOf(check, run), check.status.context]);
    if ((newest.get(key)?.id ?? -1) < check.id) newest.set(key, check);
  }
  return [...newest.values()].map(({ status }) => status);
}

/** All workflows have one app: a job does not hide one of the same name in another workflow. */
function sourceOf({ app, suiteId }: Check, run: WorkflowRun | undefined): (string | undefined)[] {
  if (app !== ACTIONS) return [];
  return run?.workflowId === undefined ? ['suite', suiteId] : ['workflow', run.workflowId];
}
