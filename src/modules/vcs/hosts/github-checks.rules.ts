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
  };
}

/** Whether it matters which runs this service has dispatched: only jobs of workflows can be theirs. */
export function needsOrigin(checks: readonly Check[]): boolean {
  return checks.some(({ app, status }) => app === ACTIONS && status.state !== 'success');
}

/** Id of a run that the app dispatched; nobody else can dispatch in its name. Whoever repeats a run shows elsewhere. */
export function dispatchedRunId(json: unknown, app: unknown): string | undefined {
  const slug = wordAt(app, 'slug');
  const isOwn =
    slug !== undefined &&
    textAt(json, 'event') === 'workflow_dispatch' &&
    textAt(objectAt(json, 'actor'), 'login') === `${slug}[bot]`;
  return isOwn ? idAt(json, 'id') : undefined;
}

/** The newest check of each name of an app, without the jobs of some runs. */
export function newestOfOthers(checks: readonly Check[], ownRunIds: ReadonlySet<string>): CommitStatus[] {
  const newest = new Map<string, Check>();
  for (const check of checks) {
    if (check.workflowRunId !== undefined && ownRunIds.has(check.workflowRunId)) continue;
    const key = JSON.stringify([check.app, check.status.context]);
    if ((newest.get(key)?.id ?? -1) < check.id) newest.set(key, check);
  }
  return [...newest.values()].map(({ status }) => status);
}
