import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { dirspaceKey, type DirspaceKey } from '../../repo-config/index.js';
import type { DirspaceState } from '../entities/work-manifest-dirspace.entity.js';
import { type RunType, WorkManifestEntity } from '../entities/work-manifest.entity.js';

/** The newest plan or apply of a dirspace for a commit of a pull request. */
export interface DirspaceRun {
  dir: string;
  workspace: string;
  runId: string;
  position: number;
  state: DirspaceState;
  hasChanges: boolean | null;
  /** a hook of the run failed, though nothing else did */
  hooksFailed: boolean;
  createdAt: Date;
  completedAt: Date | null;
  /** when its comment was asked for */
  sayingAt: Date | null;
  /** when its comment was written, by the provider's clock */
  saidAt: Date | null;
  /** an apply of the same pull request began since and was given up: nobody knows what it did */
  isUsed: boolean;
  /** see `isOvertaken` */
  isOvertaken: boolean;
  /** the pull request was closed or merged since, and nobody applies what was planned before */
  isRetired: boolean;
}
export interface DirspaceProgress {
  plan: DirspaceRun | undefined;
  /** only when it is newer than the plan */
  apply: DirspaceRun | undefined;
}
/** The newest runs of a dirspace for a commit, whatever became of them. */
export interface NewestRuns {
  plan?: { runId: string; createdAt: Date };
  apply?: { runId: string; createdAt: Date };
}
/** A commit of a pull request, and the branch that it is to be merged into: a plan counts for both. */
export interface PlannedHead {
  repositoryId: string;
  pullNumber: number;
  sha: string;
  baseBranch: string;
}
export type Progress = ReadonlyMap<DirspaceKey, DirspaceProgress>;

/**
 * Of a merge that nobody has noted when it was seen, the provider's time counts. Its clock differs from the one that
 * plans are made by, and the newest of its times is the safe one.
 */
const MERGED_UNSEEN = `op.state = 'merged' AND op.merge_seen_at IS NULL
              AND greatest(op.merged_at, op.updated_at) + interval '5 minutes'`;

/**
 * Whether a plan (a row of `work_manifest_dirspaces`) may take back what somebody else did: since it was made, another pull
 * request has applied in the dirspace, or drift was reconciled there, or one that had applied there before was merged, so
 * that the base has its changes and the plan has not. An apply that was given up after it began counts: it may have applied.
 */
export function isOvertaken(plan: string): string {
  const applied = `o.repository_id = ${plan}.repository_id AND o.dir = ${plan}.dir AND o.workspace = ${plan}.workspace
             AND o.run_type = 'apply' AND o.pull_number IS DISTINCT FROM ${plan}.pull_number
             AND (o.success IS NOT NULL OR o.state IN ('aborted', 'unknown') AND EXISTS (
               SELECT FROM work_manifests om WHERE om.id = o.work_manifest_id AND om.started_at IS NOT NULL))`;
  const merged = (seen: string) => `EXISTS (
           SELECT FROM pull_requests op JOIN work_manifest_dirspaces o ON o.pull_number = op.number AND ${applied}
            WHERE op.repository_id = ${plan}.repository_id AND ${seen})`;
  return `(EXISTS (
           SELECT FROM work_manifest_dirspaces o WHERE ${applied} AND o.ended_at > ${plan}.created_at)
         OR ${merged(`op.merge_seen_at > ${plan}.created_at`)}
         OR ${merged(`${MERGED_UNSEEN} > ${plan}.created_at`)})`;
}

/** Of a pull request that is not open what has run still shows. $1, $2: the pull request */
const COUNTS = `(d.retired_at IS NULL OR NOT EXISTS (
           SELECT FROM pull_requests p WHERE p.repository_id = $1 AND p.number = $2 AND p.state = 'open'))`;

/** Of a plan run that was given up nothing counts, also what its runner reported later: no comment shows it. */
const NEWEST = `
  SELECT DISTINCT ON (d.dir, d.workspace, d.run_type) d.dir, d.workspace, d.run_type AS "runType", d.work_manifest_id AS "runId",
         d.position, d.state, d.has_changes AS "hasChanges", m.hooks_failed AS "hooksFailed", d.created_at AS "createdAt",
         m.completed_at AS "completedAt", m.comment_begun_at AS "sayingAt", m.comment_at AS "saidAt",
         d.run_type = 'plan' AND EXISTS (
           SELECT FROM work_manifest_dirspaces u JOIN work_manifests um ON um.id = u.work_manifest_id
            WHERE u.repository_id = d.repository_id AND u.pull_number = d.pull_number AND u.dir = d.dir AND u.workspace = d.workspace
              AND u.run_type = 'apply' AND u.state = 'aborted' AND u.created_at > d.created_at AND um.started_at IS NOT NULL) AS "isUsed",
         ${isOvertaken('d')} AS "isOvertaken", d.retired_at IS NOT NULL AS "isRetired"
    FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id
   WHERE d.repository_id = $1 AND d.pull_number = $2 AND d.sha = $3 AND m.base_branch = $4 AND d.run_type IN ('plan', 'apply')
     AND d.state <> 'aborted' AND (d.run_type = 'apply' OR m.state <> 'aborted') AND ${COUNTS}
   ORDER BY d.dir, d.workspace, d.run_type, d.created_at DESC, d.work_manifest_id DESC`;

/** What a newer commit or plan ended is no failure. */
const GIVEN_UP = `
  SELECT n.dir, n.workspace, n.run_type FROM (
    SELECT DISTINCT ON (d.dir, d.workspace) d.dir, d.workspace, d.run_type, d.state, d.work_manifest_id
      FROM work_manifest_dirspaces d JOIN work_manifests b ON b.id = d.work_manifest_id AND b.base_branch = $4
     WHERE d.repository_id = $1 AND d.pull_number = $2 AND d.sha = $3 AND d.run_type IN ('plan', 'apply') AND ${COUNTS}
     ORDER BY d.dir, d.workspace, d.created_at DESC, d.work_manifest_id DESC) n
    JOIN work_manifests m ON m.id = n.work_manifest_id
   WHERE n.state = 'aborted' AND m.error_id IS NOT NULL AND m.error_id NOT IN ('SUPERSEDED', 'UNLINKED')`;

@Injectable()
export class RunProgress {
  constructor(private readonly work: UnitOfWork) {}

  /** How far the dirspaces of a commit are. */
  async of(head: PlannedHead): Promise<Progress> {
    const rows = await this.work.query<DirspaceRun & { runType: string }>(NEWEST, parametersOf(head));
    const found = new Map<DirspaceKey, DirspaceProgress>();
    for (const { runType, ...row } of rows) {
      const key = dirspaceKey(row);
      const known = found.get(key) ?? { plan: undefined, apply: undefined };
      found.set(key, runType === 'plan' ? { ...known, plan: row } : { ...known, apply: row });
    }
    for (const [key, { plan, apply }] of found)
      if (plan && apply && apply.createdAt < plan.createdAt) found.set(key, { plan, apply: undefined });
    return found;
  }

  /** Dirspaces of a commit whose newest plan or apply was given up, with its type. */
  async givenUp(head: PlannedHead): Promise<ReadonlyMap<DirspaceKey, string>> {
    const rows = await this.work.query<{ dir: string; workspace: string; run_type: string }>(
      GIVEN_UP,
      parametersOf(head),
    );
    return new Map(rows.map((row) => [dirspaceKey(row), row.run_type]));
  }

  /** The newest plan and apply of each dirspace of a commit, also when they were given up or replaced. */
  async newest(head: PlannedHead): Promise<ReadonlyMap<DirspaceKey, NewestRuns>> {
    const rows = await this.work.query<{
      dir: string;
      workspace: string;
      runType: 'plan' | 'apply';
      runId: string;
      createdAt: Date;
    }>(
      `SELECT DISTINCT ON (d.dir, d.workspace, d.run_type) d.dir, d.workspace, d.run_type AS "runType",
              d.work_manifest_id AS "runId", d.created_at AS "createdAt"
         FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id AND m.base_branch = $4
        WHERE d.repository_id = $1 AND d.pull_number = $2 AND d.sha = $3 AND d.run_type IN ('plan', 'apply')
        ORDER BY d.dir, d.workspace, d.run_type, d.created_at DESC, d.work_manifest_id DESC`,
      parametersOf(head),
    );
    const found = new Map<DirspaceKey, NewestRuns>();
    for (const { runType, runId, createdAt, ...dirspace } of rows) {
      const key = dirspaceKey(dirspace);
      found.set(key, { ...found.get(key), [runType]: { runId, createdAt } });
    }
    return found;
  }

  /** The newest run of a type for a commit of a pull request. */
  async newestOfType(
    { repositoryId, pullNumber, sha, baseBranch }: PlannedHead,
    runType: RunType,
  ): Promise<string | undefined> {
    const [run] = await this.work.manager.find(WorkManifestEntity, {
      where: { repositoryId, pullNumber, branchRef: sha, baseBranch, runType },
      order: { createdAt: 'DESC' },
      take: 1,
    });
    return run?.id;
  }

  /** Whether an apply of the pull request waits or runs. */
  async hasApplyUnderWay(repositoryId: string, pullNumber: number): Promise<boolean> {
    const rows = await this.work.query(
      `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND pull_number = $2 AND run_type = 'apply'
          AND state IN ('queued', 'running') LIMIT 1`,
      [repositoryId, pullNumber],
    );
    return rows.length > 0;
  }
}

function parametersOf({ repositoryId, pullNumber, sha, baseBranch }: PlannedHead): unknown[] {
  return [repositoryId, pullNumber, sha, baseBranch];
}

/** Applied, or planned without changes. What was applied is applied, also when a hook failed after it. */
export function isDone({ plan, apply }: DirspaceProgress): boolean {
  return apply?.state === 'success' || (apply === undefined && isPlanned(plan) && plan.hasChanges === false);
}

/** Planned with changes that can be applied now. */
export function isApplicable(progress: DirspaceProgress): boolean {
  const { plan, apply } = progress;
  return (
    isPlanned(plan) &&
    plan.hasChanges === true &&
    !plan.isOvertaken &&
    !plan.isUsed &&
    !plan.isRetired &&
    apply === undefined
  );
}

function isPlanned(plan: DirspaceRun | undefined): plan is DirspaceRun {
  return plan?.state === 'success' && !plan.hooksFailed;
}
