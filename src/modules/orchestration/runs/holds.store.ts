import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { PullRequestEntity } from '../../vcs/index.js';
import { DirspaceHoldEntity } from '../entities/dirspace-lock.entities.js';
import type { WorkManifestState } from '../entities/work-manifest.entity.js';
import { IS_NOT_AFTER_MERGE, isApplying, releaseEnded, STAYS_HELD } from './hold-ends.queries.js';

/** Of a hold whose place others give up and take at the same moment. */
const MAX_ATTEMPTS = 20;

export interface HeldPlace {
  repositoryId: string;
  pullNumber: number;
}
type RecordedPullRequest = Pick<PullRequestEntity, 'state' | 'sha' | 'baseBranch' | 'updatedAt'>;
export interface Dirspace {
  dir: string;
  workspace: string;
}
/** An apply that began and was given up. */
export type GivenUp = Dirspace & { errorId: string; completedAt: Date };
/** A hold that a run left which reconciled drift. */
interface ReleasedReconcile extends Dirspace {
  /** null: the run is not known any more */
  completedAt: Date | null;
}
/** What an apply wants: a dirspace whose policy is `none` is not held. */
export type Wanted = Dirspace & { lockPolicy: 'apply' | 'none' };
/** What keeps a pull request out of a dirspace. `isUnheld`: an apply is under way there that holds nothing. */
export type InTheWay = Dirspace & { createdAt: Date; isUnheld?: boolean } & (
    | {
        pullNumber: number;
        /** closed, or merged: what it holds ends with its apply, or by unlocking where that one was given up */
        isClosed?: boolean;
        isApplying?: boolean;
      }
    | {
        pullNumber: null;
        /** of the run that reconciles drift; null: it is not known any more */
        runState: WorkManifestState | null;
        errorId: string | null;
      }
  );

const MAX_LATE_MS = 10 * 60_000;

/** Table `dirspace_holds`: rows, never computed from what has run. */
@Injectable()
export class Holds {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Holds the dirspaces for the pull request, all or none: then answers what stands in the way, which is what others hold
   * or apply. A dirspace whose policy is `none` is not held, but what others hold there counts. Call it in the transaction
   * that creates the apply.
   */
  async acquire(
    { repositoryId, pullNumber }: HeldPlace,
    dirspaces: readonly Wanted[],
    by: string | null,
  ): Promise<InTheWay[]> {
    const sorted = dirspaces.toSorted((a, b) => (a.dir + a.workspace < b.dir + b.workspace ? -1 : 1));
    const arrays = [sorted.map(({ dir }) => dir), sorted.map(({ workspace }) => workspace)];
    const inserted: Dirspace[] = [];
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      inserted.push(
        ...(await this.work.query<Dirspace>(
          `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number, username, created_at)
         SELECT $1, d.dir, d.workspace, $2, $3, $4 FROM unnest($5::text[], $6::text[]) AS d (dir, workspace)
         ON CONFLICT (repository_id, dir, workspace) DO NOTHING RETURNING dir, workspace`,
          [repositoryId, pullNumber, by, this.clock.now(), ...arrays],
        )),
      );
      const others = await this.work.query<InTheWay & { isHeld: boolean }>(
        `SELECT d.dir, d.workspace, h.pull_number AS "pullNumber", h.created_at AS "createdAt", m.state AS "runState",
                m.error_id AS "errorId", h.dir IS NOT NULL AS "isHeld", coalesce(p.state <> 'open', false) AS "isClosed",
                ${isApplying('h')} AS "isApplying"
           FROM unnest($3::text[], $4::text[]) AS d (dir, workspace)
           LEFT JOIN dirspace_holds h
             ON h.repository_id = $1 AND h.dir = d.dir AND h.workspace = d.workspace
           LEFT JOIN work_manifests m ON m.id = h.work_manifest_id
           LEFT JOIN pull_requests p ON p.repository_id = h.repository_id AND p.number = h.pull_number
          WHERE h.pull_number IS DISTINCT FROM $2 ORDER BY d.dir, d.workspace`,
        [repositoryId, pullNumber, ...arrays],
      );
      const inTheWay = others.filter(({ isHeld }) => isHeld).map(({ isHeld: _, ...hold }) => hold);
      if (inTheWay.length > 0) return inTheWay;
      // A hold that stood in the way of the first statement ended before the second: nobody holds there yet.
      if (others.length > 0) continue;
      const applying = await this.applyingWithoutHold({ repositoryId, pullNumber }, sorted);
      if (applying.length === 0) await this.letGo(repositoryId, sorted, inserted);
      return applying;
    }
    throw new Error('holds ended while they were read, time after time');
  }

  /** Others that apply there and hold nothing: by their policy, or because their pull request was closed meanwhile. */
  private async applyingWithoutHold(
    { repositoryId, pullNumber }: HeldPlace,
    dirspaces: readonly Dirspace[],
  ): Promise<InTheWay[]> {
    return this.work.query<InTheWay>(
      `SELECT w.dir, w.workspace, w.pull_number AS "pullNumber", m.created_at AS "createdAt", m.state AS "runState",
              NULL AS "errorId", true AS "isUnheld"
         FROM unnest($3::text[], $4::text[]) AS d (dir, workspace)
         JOIN work_manifest_dirspaces w ON w.repository_id = $1 AND w.dir = d.dir AND w.workspace = d.workspace
          AND w.run_type = 'apply' AND w.state IN ('queued', 'running') AND w.pull_number IS DISTINCT FROM $2
         JOIN work_manifests m ON m.id = w.work_manifest_id AND m.state IN ('queued', 'running')
        ORDER BY d.dir, d.workspace, m.created_at`,
      [
        repositoryId,
        pullNumber,
        dirspaces.map(({ dir }) => dir),
        dirspaces.map(({ workspace }) => workspace),
      ],
    );
  }

  /**
   * Ends the holds that were only taken for the moment, where the policy is `none`: whoever wanted the same dirspace at that
   * moment waited for this transaction, and sees its apply.
   */
  private async letGo(
    repositoryId: string,
    wanted: readonly Wanted[],
    inserted: readonly Dirspace[],
  ): Promise<void> {
    const unheld = wanted.filter(({ lockPolicy }) => lockPolicy === 'none');
    const ended = inserted.filter(({ dir, workspace }) =>
      unheld.some((each) => each.dir === dir && each.workspace === workspace),
    );
    if (ended.length === 0) return;
    await this.work.query(`DELETE FROM dirspace_holds h WHERE repository_id = $1 AND ${isOneOf('h', 2)}`, [
      repositoryId,
      ...arraysOf(ended),
    ]);
  }

  /** What runs left that reconciled drift and were given up: somebody has looked. */
  async releaseReconciles(
    repositoryId: string,
    dirspaces: readonly Dirspace[],
  ): Promise<ReleasedReconcile[]> {
    if (dirspaces.length === 0) return [];
    return this.work.query<ReleasedReconcile>(
      `DELETE FROM dirspace_holds h USING unnest($2::text[], $3::text[]) AS d (dir, workspace)
        WHERE h.repository_id = $1 AND h.pull_number IS NULL AND d.dir = h.dir AND d.workspace = h.workspace
          AND NOT EXISTS (SELECT FROM work_manifests m WHERE m.id = h.work_manifest_id AND m.state IN ('queued', 'running'))
        RETURNING h.dir, h.workspace,
          (SELECT m.completed_at FROM work_manifests m WHERE m.id = h.work_manifest_id) AS "completedAt"`,
      [repositoryId, dirspaces.map(({ dir }) => dir), dirspaces.map(({ workspace }) => workspace)],
    );
  }

  async list(repositoryId: string): Promise<DirspaceHoldEntity[]> {
    return this.work.manager.find(DirspaceHoldEntity, {
      where: { repositoryId },
      order: { dir: 'ASC', workspace: 'ASC' },
    });
  }

  async of(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<DirspaceHoldEntity[]> {
    const holds = await this.list(repositoryId);
    return holds.filter((hold) =>
      dirspaces.some(({ dir, workspace }) => dir === hold.dir && workspace === hold.workspace),
    );
  }

  /** See `releaseEnded`. */
  async releaseEnded(workManifestId: string): Promise<void> {
    await releaseEnded(this.work, workManifestId);
  }

  /**
   * What a pull request holds that is merged or closed. What is being applied stays held to the end of the apply, and what
   * ended so since the close that it has to stay held. Good to be called again.
   */
  async releaseClosed({ repositoryId, pullNumber }: HeldPlace): Promise<void> {
    await this.work.query(
      `DELETE FROM dirspace_holds h
        WHERE repository_id = $1 AND pull_number = $2 AND NOT ${isApplying('h')} AND NOT ${STAYS_HELD}`,
      [repositoryId, pullNumber],
    );
  }

  /**
   * An apply that never began has done nothing: what it would have held is held no longer, unless an apply of the same
   * pull request has begun there, or is to begin, since the hold; of a closed one, unless the last one ended so that it
   * stays held. Good to be called again.
   */
  async releaseUnbegun({ repositoryId, pullNumber }: HeldPlace, workManifestId: string): Promise<void> {
    await this.work.run(async () => {
      await this.lockPullRequest({ repositoryId, pullNumber });
      await this.work.query(
        `DELETE FROM dirspace_holds h USING work_manifest_dirspaces d
          WHERE d.work_manifest_id = $1 AND h.repository_id = $2 AND h.pull_number = $3 AND h.dir = d.dir
            AND h.workspace = d.workspace AND (NOT EXISTS (
              SELECT FROM work_manifest_dirspaces o JOIN work_manifests m ON m.id = o.work_manifest_id
               WHERE o.repository_id = h.repository_id AND o.dir = h.dir AND o.workspace = h.workspace
                 AND o.run_type = 'apply' AND o.pull_number = h.pull_number AND o.created_at >= h.created_at
                 AND (m.started_at IS NOT NULL OR m.state IN ('queued', 'running')))
              OR NOT ${isApplying('h')} AND (
                SELECT p.state <> 'open' AND (o.success OR o.success IS NOT NULL AND ${IS_NOT_AFTER_MERGE})
                  FROM pull_requests p, work_manifest_dirspaces o JOIN work_manifests m ON m.id = o.work_manifest_id
                 WHERE p.repository_id = h.repository_id AND p.number = h.pull_number
                   AND o.repository_id = h.repository_id AND o.dir = h.dir AND o.workspace = h.workspace
                   AND o.run_type = 'apply' AND o.pull_number = h.pull_number AND m.started_at IS NOT NULL
                 ORDER BY o.created_at DESC LIMIT 1))`,
        [workManifestId, repositoryId, pullNumber],
      );
    });
  }

  /**
   * Locks a pull request to the end of the transaction: its runs are created, and its holds end, one after the other.
   * Lock it before its runs. Answers what is recorded of it.
   */
  async lockPullRequest({ repositoryId, pullNumber }: HeldPlace): Promise<RecordedPullRequest | undefined> {
    const [row] = await this.work.query<RecordedPullRequest>(
      `SELECT state, sha, base_branch AS "baseBranch", updated_at AS "updatedAt" FROM pull_requests
        WHERE repository_id = $1 AND number = $2 FOR UPDATE`,
      [repositoryId, pullNumber],
    );
    return row;
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

  /**
   * What ended without a result reads as aborted once somebody has looked at it and unlocked.
   *
   * @param only nowhere else; undefined: everywhere
   */
  async endUnknown({ repositoryId, pullNumber }: HeldPlace, only?: readonly Dirspace[]): Promise<void> {
    await this.work.query(
      `UPDATE work_manifest_dirspaces w SET state = 'aborted'
        WHERE repository_id = $1 AND pull_number = $2 AND state = 'unknown' AND ${isOneOf('w', 3)}`,
      [repositoryId, pullNumber, ...arraysOf(only)],
    );
  }

  /**
   * Answers how many were released.
   *
   * @param only nowhere else; undefined: everywhere
   */
  async release({ repositoryId, pullNumber }: HeldPlace, only?: readonly Dirspace[]): Promise<number> {
    const rows = await this.work.query(
      `DELETE FROM dirspace_holds h WHERE repository_id = $1 AND pull_number = $2 AND ${isOneOf('h', 3)} RETURNING dir`,
      [repositoryId, pullNumber, ...arraysOf(only)],
    );
    return rows.length;
  }

  /**
   * Where pull requests applied, or may have been merged with what they applied, since: a commit that was read before may
   * lack it. The code host's clock may be slow, and the commit was read before the time was noted.
   */
  async appliedSince(repositoryId: string, since: Date): Promise<Dirspace[]> {
    return this.work.query<Dirspace>(
      `SELECT DISTINCT w.dir, w.workspace FROM work_manifest_dirspaces w
         JOIN pull_requests p ON p.repository_id = w.repository_id AND p.number = w.pull_number
        WHERE w.repository_id = $1 AND w.run_type = 'apply' AND (w.created_at >= $2 OR p.updated_at >= $2)`,
      [repositoryId, new Date(since.getTime() - MAX_LATE_MS)],
    );
  }

  /**
   * Where pull requests began to apply since, or were merged with what they applied: a commit that was read since may lack
   * it, although nothing is held there any more.
   */
  async appliedMeanwhile(repositoryId: string, since: Date): Promise<Dirspace[]> {
    return this.work.query<Dirspace>(
      `SELECT DISTINCT w.dir, w.workspace FROM work_manifest_dirspaces w
         JOIN pull_requests p ON p.repository_id = w.repository_id AND p.number = w.pull_number
        WHERE w.repository_id = $1 AND w.run_type = 'apply' AND (w.created_at >= $2 OR p.merge_seen_at >= $2)`,
      [repositoryId, since],
    );
  }

  /** What a run left that reconciled drift and was given up. Nothing of one that is under way. Answers the directories. */
  async releaseReconcile(workManifestId: string): Promise<Dirspace[]> {
    return this.work.query<Dirspace>(
      `DELETE FROM dirspace_holds h USING work_manifests m
        WHERE m.id = $1 AND h.work_manifest_id = m.id AND h.pull_number IS NULL AND m.state IN ('completed', 'aborted')
        RETURNING h.dir, h.workspace`,
      [workManifestId],
    );
  }
}

/** Whether a row is of the dirspaces of two arrays, from parameter `first` on; null: of any. */
function isOneOf(alias: string, first: number): string {
  return `($${first}::text[] IS NULL OR EXISTS (
    SELECT FROM unnest($${first}::text[], $${first + 1}::text[]) AS d (dir, workspace)
     WHERE d.dir = ${alias}.dir AND d.workspace = ${alias}.workspace))`;
}

function arraysOf(dirspaces: readonly Dirspace[] | undefined): [string[] | null, string[] | null] {
  if (dirspaces === undefined) return [null, null];
  return [dirspaces.map(({ dir }) => dir), dirspaces.map(({ workspace }) => workspace)];
}
