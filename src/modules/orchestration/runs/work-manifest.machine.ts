import type { CiJobEnd } from '../../vcs/index.js';
import type { DirspaceState } from '../entities/work-manifest-dirspace.entity.js';
import type { WorkManifestState } from '../entities/work-manifest.entity.js';

export type RunTransition = 'start' | 'complete' | 'abort';

/** From which states a run takes a transition, and where it leads. */
export const RUN_TRANSITIONS = {
  start: { from: ['queued'], to: 'running' },
  complete: { from: ['running'], to: 'completed' },
  abort: { from: ['queued', 'running'], to: 'aborted' },
} as const satisfies Record<RunTransition, { from: readonly WorkManifestState[]; to: WorkManifestState }>;

/** State of a dirspace from the state of its run and from what was reported of it. */
export function dirspaceState(run: WorkManifestState, success: boolean | null): DirspaceState {
  switch (run) {
    case 'queued':
      return 'queued';
    case 'running':
      return success === null ? 'running' : success ? 'success' : 'failure';
    case 'aborted':
      return success === null ? 'aborted' : success ? 'success' : 'failure';
    case 'completed':
      return success === null ? 'unknown' : success ? 'success' : 'failure';
  }
}

/** A provider that does not start a run for so long makes it fail. */
const DISPATCH_LIMIT_MS = 3_600_000;

/** Whether the provider has been asked for long enough; how long the run waited in the queue before does not count. */
export function isGivenUp({ firstDispatchedAt }: { firstDispatchedAt: Date | null }, now: number): boolean {
  return firstDispatchedAt !== null && now - firstDispatchedAt.getTime() > DISPATCH_LIMIT_MS;
}

/** Why a run was aborted; `data` is for people. */
export interface RunError {
  id: RunErrorId;
  data: string;
}
export const RUN_ERRORS = {
  SUPERSEDED: 'a newer commit or plan takes its place',
  CANCELLED: 'it was cancelled',
  JOB_FAILED: 'its CI job failed',
  RUN_LOST: 'its runner fell silent',
  RUN_NOT_STARTED: 'no runner began it in time',
  RUN_TIME_LIMIT: 'it took longer than it may',
  WORKFLOW_NOT_FOUND: 'the workflow was not found on the default branch',
  DISPATCH_REFUSED: 'the provider refused to start it',
  DISPATCH_FAILED: 'the provider could not be asked to start it',
  GITLAB_INPUTS_MISSING_DEFAULTS: 'the pipeline refused its inputs: each must be declared and have a default',
  UNLINKED: 'the installation is linked to no tenant any more',
} as const;
export type RunErrorId = keyof typeof RUN_ERRORS;

export function runError(id: RunErrorId, detail?: string): RunError {
  return { id, data: detail === undefined ? RUN_ERRORS[id] : `${RUN_ERRORS[id]}: ${detail}` };
}

/** What becomes of a run whose CI job did not succeed. */
export const JOB_ERRORS = {
  failed: runError('JOB_FAILED'),
  cancelled: runError('CANCELLED', 'its CI job was cancelled'),
  skipped: runError('JOB_FAILED', 'the CI skipped the job'),
} as const satisfies Record<CiJobEnd, RunError>;
