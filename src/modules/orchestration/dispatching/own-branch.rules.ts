import type { CiRun } from '../../vcs/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { type RunError, runError } from '../runs/work-manifest.machine.js';

/**
 * A branch runs its own workflow file, which whoever pushes can change: an apply begins only at the commit that it was
 * asked for. Once merged, the base branch runs its own, and machines of a pool need none.
 */
export function mustBeAtItsCommit(
  { runType, pullNumber, branch }: Pick<WorkManifestEntity, 'runType' | 'pullNumber' | 'branch'>,
  ref: string,
): boolean {
  return runType === 'apply' && pullNumber !== null && ref === branch;
}

/** The branch was pushed to between the look at it and the request to start the CI run. */
export function isAtAnotherCommit(
  { branchRef }: Pick<WorkManifestEntity, 'branchRef'>,
  { headSha }: Pick<CiRun, 'headSha'>,
): boolean {
  return headSha !== null && headSha !== branchRef;
}

/** `found`: what is there instead, after "the apply was asked for at …, and". */
export function superseded({ branchRef }: Pick<WorkManifestEntity, 'branchRef'>, found: string): RunError {
  return runError('SUPERSEDED', `the apply was asked for at ${branchRef.slice(0, 12)}, and ${found}`);
}
