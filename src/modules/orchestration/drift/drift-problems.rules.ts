import { AppError } from '../../../platform/errors/index.js';
import { DependencyCycle, InvalidRepoConfig } from '../../repo-config/index.js';
import { UnreadableBranch } from '../planning/default-branches.js';

const MAX_TEXT = 2000;

/** A run has to find something out about the default branch before anything can be looked at there. */
export class DriftAwaits extends Error {
  constructor(readonly runId: string) {
    super(`waits for the run ${runId}`);
  }
}

/** A run that should have found something out about the default branch failed. */
export class DriftPreparationFailed extends Error {
  constructor(
    message: string,
    /** when it is tried again */
    readonly retryAt: Date,
  ) {
    super(message);
  }
}

/** Whether people of the repository have to mend something, or wait. */
export function isMistake(error: unknown): error is Error {
  return (
    error instanceof InvalidRepoConfig ||
    error instanceof DependencyCycle ||
    error instanceof UnreadableBranch ||
    error instanceof DriftPreparationFailed
  );
}

/** What people are shown. What nobody expected may contain anything, and is only logged. */
export function problemText(error: unknown): string {
  if (isMistake(error) || error instanceof DriftAwaits) return error.message.slice(0, MAX_TEXT);
  if (error instanceof AppError) return `${error.id}: ${error.message}`.slice(0, MAX_TEXT);
  return 'INTERNAL_ERROR: the service could not begin; see its log';
}
