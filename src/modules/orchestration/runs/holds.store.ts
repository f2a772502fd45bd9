import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { DirspaceHoldEntity } from '../entities/dirspace-lock.entities.js';
import type { WorkManifestState } from '../entities/work-manifest.entity.js';

export interface HeldPlace {
  repositoryId: string;
  pullNumber: number;
}
interface Dirspace {
  dir: string;
  workspace: string;
}
/** An apply that began and was given up. */
export type GivenUp = Dirspace & { errorId: string; completedAt: Date };
/** What keeps a pull request out of a dirspace. */
export type InTheWay = Dirspace & { createdAt: Date } & (
    | { pullNumber: number }
    | {
        pullNumber: null;
        /** of the run that reconciles drift; null: it is not known any more */
        runState: WorkManifestState | null;
        errorId: string | null;
      }
  );

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

/** What an older release left: holds of runs that reconciled drift and have ended, or never began. */
export async function releaseLeftReconciles(work: UnitOfWork): Promise<void> {
  await work.query(
    `DELETE FROM dirspace_holds h USING work_manifests m
      WHERE h.pull_number IS NULL AND m.id = h.work_manifest_id
        AND (m.state = 'completed' OR m.state = 'aborted' AND m.started_at IS NULL)`,
  );
}

/** Table `dirspace_holds`: rows, never computed from what has run. */
@Injectable()
export class Holds {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Holds all of the dirspaces for the pull request, or none: then answers the holds of others that stand in the way.
   * Call it in the transaction that creates the apply.
   */
  async acquire(
    { repositoryId, pullNumber }: HeldPlace,
    dirspaces: readonly Dirspace[],
    by: string | null,
  ): Promise<InTheWay[]> {
    const sorted = dirspaces.toSorted((a, b) => (a.dir + a.workspace < b.dir + b.workspace ? -1 : 1));
    await this.work.query(
      `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number, username, created_at)
       SELECT $1, d.dir, d.workspace, $2, $3, $4 FROM unnest($5::text[], $6::text[]) AS d (dir, workspace)
       ON CONFLICT (repository_id, dir, workspace) DO NOTHING`,
      [
        repositoryId,
        pullNumber,
        by,
        this.clock.now(),
        sorted.map(({ dir }) => dir),
        sorted.map(({ workspace }) => workspace),
      ],
    );
    return this.work.query<InTheWay>(
      `SELECT h.dir, h.workspace, h.pull_number AS "pullNumber", h.created_at AS "createdAt", m.state AS "runState",
              m.error_id AS "errorId"
         FROM dirspace_holds h JOIN unnest($3::text[], $4::text[]) AS d (dir, workspace)
           ON d.dir = h.dir AND d.workspace = h.workspace
         LEFT JOIN work_manifests m ON m.id = h.work_manifest_id
        WHERE h.repository_id = $1 AND h.pull_number IS DISTINCT FROM $2 ORDER BY h.dir, h.workspace`,
      [repositoryId, pullNumber, sorted.map(({ dir }) => dir), sorted.map(({ workspace }) => workspace)],
    );
  }

  /** Locks the runs that are to reconcile drift in one of the dirspaces and have not begun; answers their ids. */
  async lockUnbegunReconciles(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT m.id FROM work_manifests m
        WHERE m.repository_id = $1 AND m.kind = 'drift' AND m.state = 'queued' AND EXISTS (
          SELECT FROM dirspace_holds h JOIN unnest($2::text[], $3::text[]) AS d (dir, workspace)
              ON d.dir = h.dir AND d.workspace = h.workspace
           WHERE h.repository_id = $1 AND h.work_manifest_id = m.id AND h.pull_number IS NULL)
        ORDER BY m.id FOR UPDATE`,
      [repositoryId, dirspaces.map(({ dir }) => dir), dirspaces.map(({ workspace }) => workspace)],
    );
    return rows.map(({ id }) => id);
  }

  /** What runs left that reconciled drift and were given up: somebody has looked. Answers when each was given up. */
  async releaseReconciles(
    repositoryId: string,
    dirspaces: readonly Dirspace[],
  ): Promise<{ completedAt: Date | null }[]> {
    if (dirspaces.length === 0) return [];
    return this.work.query<{ completedAt: Date | null }>(
      `DELETE FROM dirspace_holds h USING unnest($2::text[], $3::text[]) AS d (dir, workspace)
        WHERE h.repository_id = $1 AND h.pull_number IS NULL AND d.dir = h.dir AND d.workspace = h.workspace
          AND NOT EXISTS (SELECT FROM work_manifests m WHERE m.id = h.work_manifest_id AND m.state IN ('queued', 'running'))
        RETURNING (SELECT m.completed_at FROM work_manifests m WHERE m.id = h.work_manifest_id) AS "completedAt"`,
      [repositoryId, dirspaces.map(({ dir }) => dir), dirspaces.map(({ workspace }) => workspace)],
    );
  }

  async of(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<DirspaceHoldEntity[]> {
    const holds = await this.work.manager.find(DirspaceHoldEntity, {
      where: { repositoryId },
      order: { dir: 'ASC', workspace: 'ASC' },
    });
    return holds.filter((hold) =>
      dirspaces.some(({ dir, workspace }) => dir === hold.dir && workspace === hold.workspace),
    );
  }

  /** What an apply did for a pull request that is merged or closed already is held no longer: no merge releases it. */
  async releaseEnded(workManifestId: string): Promise<void> {
    await this.work.query(
      `DELETE FROM dirspace_holds h USING work_manifest_dirspaces d, pull_requests p
        WHERE d.work_manifest_id = $1 AND d.success AND h.repository_id = d.repository_id AND h.dir = d.dir
          AND h.workspace = d.workspace AND h.pull_number = d.pull_number
          AND p.repository_id = h.repository_id AND p.number = h.pull_number AND p.state <> 'open'`,
      [workManifestId],
    );
  }

  /**
   * An apply that never began has done nothing: what it would have held is held no longer, unless an apply of the same
   * pull request has begun there, or is to begin, since the hold. Good to be called again.
   */
  async releaseUnbegun({ repositoryId, pullNumber }: HeldPlace, workManifestId: string): Promise<void> {
    await this.work.run(async () => {
      await this.lockHolder({ repositoryId, pullNumber });
      await this.work.query(
        `DELETE FROM dirspace_holds h USING work_manifest_dirspaces d
          WHERE d.work_manifest_id = $1 AND h.repository_id = $2 AND h.pull_number = $3 AND h.dir = d.dir
            AND h.workspace = d.workspace AND NOT EXISTS (
              SELECT FROM work_manifest_dirspaces o JOIN work_manifests m ON m.id = o.work_manifest_id
               WHERE o.repository_id = h.repository_id AND o.dir = h.dir AND o.workspace = h.workspace
                 AND o.run_type = 'apply' AND o.pull_number = h.pull_number AND o.created_at >= h.created_at
                 AND (m.started_at IS NOT NULL OR m.state IN ('queued', 'running')))`,
        [workManifestId, repositoryId, pullNumber],
      );
    });
  }

  /** Applies of a pull request begin, and its holds end, one after the other: to the end of the transaction. */
  async lockHolder({ repositoryId, pullNumber }: HeldPlace): Promise<string | undefined> {
    const [row] = await this.work.query<{ state: string }>(
      'SELECT state FROM pull_requests WHERE repository_id = $1 AND number = $2 FOR UPDATE',
      [repositoryId, pullNumber],
    );
    return row?.state;
  }

  /**
   * Of what a pull request holds: where its last apply began and was given up since. Nobody knows whether that one has
   * stopped, until somebody has looked and unlocked.
   */
  async givenUp({ repositoryId, pullNumber }: HeldPlace): Promise<GivenUp[]> {
    return this.work.query<GivenUp>(
      `SELECT h.dir, h.workspace, a.error_id AS "errorId", a.completed_at AS "completedAt" FROM dirspace_holds h
         JOIN LATERAL (
           SELECT d.state, m.error_id, m.started_at, m.created_at, m.completed_at
             FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id
            WHERE d.repository_id = h.repository_id AND d.pull_number = h.pull_number AND d.dir = h.dir
              AND d.workspace = h.workspace AND d.run_type = 'apply'
            ORDER BY d.created_at DESC LIMIT 1) a ON a.state = 'aborted'
        WHERE h.repository_id = $1 AND h.pull_number = $2 AND a.started_at IS NOT NULL AND h.created_at <= a.created_at`,
      [repositoryId, pullNumber],
    );
  }

  /** What ended without a result reads as aborted once somebody has looked at it and unlocked. */
  async endUnknown({ repositoryId, pullNumber }: HeldPlace): Promise<void> {
    await this.work.query(
      `UPDATE work_manifest_dirspaces SET state = 'aborted'
        WHERE repository_id = $1 AND pull_number = $2 AND state = 'unknown'`,
      [repositoryId, pullNumber],
    );
  }

  /** Answers how many were released. */
  async release({ repositoryId, pullNumber }: HeldPlace): Promise<number> {
    const { affected } = await this.work.manager.delete(DirspaceHoldEntity, { repositoryId, pullNumber });
    return affected ?? 0;
  }
}
