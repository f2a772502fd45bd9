import type { UnitOfWork } from '../../../platform/database/index.js';

/** Of a run that reconciled drift. One that was given up after it began may still be at work where it reported nothing. */
export async function releaseReconciled(work: UnitOfWork, workManifestId: string): Promise<void> {
  await work.query(
    `DELETE FROM dirspace_holds h USING work_manifests m
      WHERE m.id = $1 AND h.work_manifest_id = m.id AND h.pull_number IS NULL
        AND (m.state <> 'aborted' OR m.started_at IS NULL OR EXISTS (
          SELECT FROM work_manifest_dirspaces d
           WHERE d.work_manifest_id = m.id AND d.dir = h.dir AND d.workspace = h.workspace AND d.success IS NOT NULL))`,
    [workManifestId],
  );
}

/**
 * An apply that is aborted after it began may still be at work: where it has reported nothing and nobody holds, which is
 * where the policy is `none`, its pull request (or the run, if it reconciles drift) holds from now on. The insert locks the
 * pull request after its run, which is safe: whoever has locked a pull request waits for no apply of it.
 */
export async function holdGivenUp(work: UnitOfWork, workManifestId: string): Promise<void> {
  await work.query(
    `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number, work_manifest_id, username, created_at)
     SELECT d.repository_id, d.dir, d.workspace, m.pull_number, CASE WHEN m.pull_number IS NULL THEN m.id END,
            CASE WHEN m.pull_number IS NOT NULL THEN m.username END, m.created_at
       FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id
      WHERE m.id = $1 AND m.run_type = 'apply' AND m.state = 'aborted' AND m.started_at IS NOT NULL AND d.success IS NULL
      ORDER BY (d.dir || d.workspace) COLLATE "C"
     ON CONFLICT (repository_id, dir, workspace) DO NOTHING`,
    [workManifestId],
  );
}

/** What an older release left: holds of runs that reconciled drift and have ended, or never began. */
export async function releaseLeftReconciles(work: UnitOfWork): Promise<void> {
  await work.query(
    `DELETE FROM dirspace_holds h USING work_manifests m
      WHERE h.pull_number IS NULL AND m.id = h.work_manifest_id
        AND (m.state = 'completed' OR m.state = 'aborted' AND m.started_at IS NULL)`,
  );
}

/** Of a run `m` of a pull request `p` that is not open. What fails after the merge is applied again. */
export const IS_NOT_AFTER_MERGE = `(p.state = 'closed' OR m.created_at <= coalesce(p.merge_seen_at, p.merged_at, p.updated_at))`;

/**
 * Of a hold `h`: the last apply that began there since was given up after the close, so that nobody knows whether it has
 * stopped, or was asked for after the merge and did not succeed.
 */
export const STAYS_HELD = `EXISTS (
  SELECT FROM pull_requests p JOIN LATERAL (
      SELECT o.success, o.created_at, om.state, om.completed_at
        FROM work_manifest_dirspaces o JOIN work_manifests om ON om.id = o.work_manifest_id
       WHERE o.repository_id = h.repository_id AND o.dir = h.dir AND o.workspace = h.workspace AND o.run_type = 'apply'
         AND o.pull_number = h.pull_number AND o.created_at >= h.created_at AND om.started_at IS NOT NULL
       ORDER BY o.created_at DESC LIMIT 1) m ON true
   WHERE p.repository_id = h.repository_id AND p.number = h.pull_number AND p.state <> 'open'
     AND (m.success IS NULL AND m.state = 'aborted'
         AND m.completed_at > coalesce(p.merge_seen_at, p.closed_at, p.merged_at, p.updated_at)
       OR m.success IS NOT TRUE AND NOT ${IS_NOT_AFTER_MERGE}))`;

/** Whether the pull request of a hold applies there, or is about to. */
export function isApplying(hold: string): string {
  return `EXISTS (
    SELECT FROM work_manifest_dirspaces o JOIN work_manifests om ON om.id = o.work_manifest_id
     WHERE o.repository_id = ${hold}.repository_id AND o.dir = ${hold}.dir AND o.workspace = ${hold}.workspace
       AND o.run_type = 'apply' AND o.pull_number = ${hold}.pull_number AND om.state IN ('queued', 'running'))`;
}

/** Of a hold `h` and a dirspace `d` of the run `m`: `holdGivenUp` inserted it. */
const IS_OF_ABORT = `(m.state = 'aborted' AND d.lock_policy = 'none' AND h.created_at = m.created_at)`;

/**
 * What an apply held for a pull request that is merged or closed already: where it has said how it ended. What fails that
 * was begun after the merge stays held, to be applied again. An apply that was given up may still be at work: what it
 * reported nothing of stays held until somebody has looked and unlocked. Where another apply began since, that one decides.
 * What `holdGivenUp` held ends with a late report, also while the pull request is open.
 */
export async function releaseEnded(work: UnitOfWork, workManifestId: string): Promise<void> {
  await work.query(
    `DELETE FROM dirspace_holds h USING work_manifest_dirspaces d, work_manifests m, pull_requests p
      WHERE d.work_manifest_id = $1 AND m.id = d.work_manifest_id AND h.repository_id = d.repository_id AND h.dir = d.dir
        AND h.workspace = d.workspace AND h.pull_number = d.pull_number
        AND p.repository_id = h.repository_id AND p.number = h.pull_number
        AND (p.state <> 'open' AND (d.success OR (m.state = 'completed' OR d.success IS NOT NULL) AND ${IS_NOT_AFTER_MERGE})
          OR ${IS_OF_ABORT} AND d.success IS NOT NULL)
        AND NOT ${isApplying('h')} AND NOT EXISTS (
          SELECT FROM work_manifest_dirspaces o JOIN work_manifests om ON om.id = o.work_manifest_id
           WHERE o.repository_id = h.repository_id AND o.dir = h.dir AND o.workspace = h.workspace AND o.run_type = 'apply'
             AND o.pull_number = h.pull_number AND o.created_at > d.created_at AND om.started_at IS NOT NULL)`,
    [workManifestId],
  );
}
