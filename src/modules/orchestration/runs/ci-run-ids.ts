import type { UnitOfWork } from '../../../platform/database/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';

/** Earlier releases did not store who gave the id; of theirs, the id of a run that was dispatched counts. */
const TOLD = 'coalesce(run_id_told, run_id IS NOT NULL AND dispatched_at IS NOT NULL)';
const ACTIVE = `state IN ('queued', 'running')`;

type CiRunId = Pick<WorkManifestEntity, 'runId' | 'runUrl' | 'isRunIdTold'>;

/** Whether the code host itself gave the id of the CI run at the dispatch. Any other id is a guess or a runner's claim. */
export function isRunIdTold({ isRunIdTold: isTold, runId, dispatchedAt }: WorkManifestEntity): boolean {
  return isTold ?? (runId !== null && dispatchedAt !== null);
}

/**
 * What to store of a runner's claim to be a CI run. A claim replaces a guess of its own run. It never replaces what the
 * code host gave, and it changes no other run: two runs may name one CI run, which then is cancelled for neither.
 */
export async function claimCiRun(
  work: UnitOfWork,
  run: WorkManifestEntity,
  claimed: string,
): Promise<Partial<CiRunId>> {
  if (isRunIdTold(run)) return {};
  const others = await work.query(
    `SELECT FROM work_manifests WHERE repository_id = $1 AND run_id = $2 AND id <> $3 AND ${ACTIVE} AND ${TOLD} LIMIT 1`,
    [run.repositoryId, claimed, run.id],
  );
  if (others.length > 0) return {};
  const isGuessWrong = run.runId !== null && run.runId !== claimed;
  return { runId: claimed, isRunIdTold: false, ...(isGuessWrong ? { runUrl: null } : {}) };
}

/**
 * Whether another run that has not ended may be behind the same CI run. Where the code host did not give the id, that may
 * also be an apply whose id it did not give either.
 */
export async function sharesCiRun(work: UnitOfWork, run: WorkManifestEntity): Promise<boolean> {
  const rows = await work.query(
    `SELECT FROM work_manifests WHERE repository_id = $1 AND id <> $3 AND ${ACTIVE}
        AND (run_id = $2 OR (NOT $4::boolean AND run_type = 'apply' AND dispatched_at IS NOT NULL AND NOT ${TOLD})) LIMIT 1`,
    [run.repositoryId, run.runId, run.id, isRunIdTold(run)],
  );
  return rows.length > 0;
}

/**
 * The runs behind a CI run that have not ended. Ids that the code host gave count before the claims of runners, and these
 * before guesses.
 */
export async function findRunsOfCiRun(
  work: UnitOfWork,
  repositoryId: string,
  ciRunId: string,
): Promise<Pick<WorkManifestEntity, 'id' | 'state'>[]> {
  return work.query(
    `SELECT id, state FROM (
       SELECT id, state, rank() OVER (ORDER BY ${TOLD} DESC, state = 'running' DESC) AS rank
         FROM work_manifests WHERE repository_id = $1 AND run_id = $2 AND ${ACTIVE}) found
      WHERE rank = 1 ORDER BY id`,
    [repositoryId, ciRunId],
  );
}
