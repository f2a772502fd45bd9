import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { ADVISORY_LOCK_CLASSES, UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { RunningDirspaceEntity } from '../entities/dirspace-lock.entities.js';
import { type RunPlace, WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { releaseReconciled } from './hold-ends.queries.js';

/** Candidates that are locked for one pick; they are out of the sight of other takers meanwhile. */
const MAX_CANDIDATES = 8;
/** Candidates are lost only to takers of the same moment, and the next look leaves those out. */
const MAX_LOOKS = 5;
const FOREIGN_KEY_VIOLATION = '23503';
const UNIQUE_VIOLATION = '23505';
/** Of one repository; what cannot start is not counted. */
const MAX_PER_REPOSITORY = 2;

/** As the indexes of the queue have it. */
function waiting(alias: string): string {
  return `${alias}.state = 'queued' AND ${alias}.dispatch_state IS NULL AND ${alias}.trigger_key IS NOT NULL`;
}

/** Applies of pull requests before plans before drift, whether that is looked at or reconciled; as the index has it. */
function rank(alias: string): string {
  return `CASE WHEN ${alias}.kind = 'drift' THEN 2 WHEN ${alias}.run_type = 'apply' THEN 0 ELSE 1 END`;
}

/** Whether a run counts towards the limit of its installation, as the index of busy runs has it. */
function busy(alias: string): string {
  return `(${alias}.state = 'running' OR (${alias}.state = 'queued' AND ${alias}.dispatch_state IS NOT NULL))`;
}

/** Whether one of the dirspaces of a run is held: by a pull request, or by a run that reconciles drift. */
export function isHeld(alias: string): string {
  return `EXISTS (
    SELECT FROM work_manifest_dirspaces hd
      JOIN dirspace_holds h ON h.repository_id = hd.repository_id AND h.dir = hd.dir AND h.workspace = hd.workspace
     WHERE hd.work_manifest_id = ${alias}.id)`;
}

interface Candidate {
  id: string;
  installationId: string;
}

interface Look {
  taken?: string;
  hasMore: boolean;
  /** an installation that another taker has locked */
  contended?: string | undefined;
}

interface Sending {
  place: RunPlace;
  workTokenHash: Buffer;
}

export interface QueueRequest {
  place: RunPlace;
  /** for `place: 'pool'`: whose pool, and its name */
  pool?: { tenantId: string; name: string };
}

/**
 * What waits, fairly: applies before plans before drift, then in turns over installations and their repositories, each
 * in order of creation. A run waits while an earlier run wants one of its dirspaces in the other mode, so that nothing
 * is overtaken for ever. No pull request waits for drift that has not begun: what goes after everything else would keep
 * it waiting, too.
 */
const CANDIDATES = {
  name: 'run_queue_candidates',
  text: `
  WITH RECURSIVE places AS (
    (SELECT w.repository_id, w.installation_id FROM work_manifests w WHERE ${waiting('w')} ORDER BY w.repository_id LIMIT 1)
    UNION ALL
    SELECT n.repository_id, n.installation_id FROM places p CROSS JOIN LATERAL (
      SELECT w.repository_id, w.installation_id FROM work_manifests w
       WHERE ${waiting('w')} AND w.repository_id > p.repository_id ORDER BY w.repository_id LIMIT 1) n),
  busy AS (
    SELECT b.installation_id, b.repository_id, count(*) AS runs FROM work_manifests b
     WHERE ${busy('b')} GROUP BY 1, 2),
  busy_installations AS (SELECT installation_id, sum(runs) AS runs FROM busy GROUP BY 1),
  candidates AS (
    SELECT c.id, c.created_at, c.rank,
           row_number() OVER (PARTITION BY p.installation_id ORDER BY c.rank, c.created_at, c.id)
             + coalesce(bi.runs, 0) AS turn,
           row_number() OVER (PARTITION BY p.repository_id ORDER BY c.rank, c.created_at, c.id)
             + coalesce(br.runs, 0) AS repository_turn
      FROM places p JOIN installations i ON i.id = p.installation_id
      LEFT JOIN busy_installations bi ON bi.installation_id = p.installation_id
      LEFT JOIN busy br ON br.installation_id = p.installation_id AND br.repository_id = p.repository_id
      CROSS JOIN LATERAL (
        SELECT q.id, q.created_at, ${rank('q')} AS rank FROM work_manifests q
         WHERE q.repository_id = p.repository_id AND ${waiting('q')} AND q.place = $1
           AND (q.retry_at IS NULL OR q.retry_at <= $2) AND ($3::uuid IS NULL OR q.pool = $4)
           AND NOT EXISTS (
             SELECT FROM work_manifest_dirspaces d
               JOIN running_dirspaces r ON r.repository_id = q.repository_id AND r.dir = d.dir AND r.workspace = d.workspace
              WHERE d.work_manifest_id = q.id AND (r.mode = 'apply' OR q.run_type = 'apply'))
           AND NOT (q.kind = 'drift' AND ${isHeld('q')})
           AND NOT EXISTS (
             SELECT FROM work_manifest_dirspaces d
               JOIN work_manifest_dirspaces ed ON ed.repository_id = q.repository_id AND ed.dir = d.dir
                AND ed.workspace = d.workspace AND ed.state = 'queued'
               JOIN work_manifests e ON e.id = ed.work_manifest_id
              WHERE d.work_manifest_id = q.id AND ${waiting('e')} AND (e.created_at, e.id) < (q.created_at, q.id)
                AND (e.run_type = 'apply' OR q.run_type = 'apply') AND (e.kind <> 'drift' OR q.kind = 'drift'))
         ORDER BY ${rank('q')}, q.created_at, q.id LIMIT ${MAX_PER_REPOSITORY}) c
     WHERE i.tenant_id IS NOT NULL AND ($3::uuid IS NULL OR i.tenant_id = $3) AND coalesce(bi.runs, 0) < $5)
  SELECT m.id, m.installation_id AS "installationId" FROM candidates c JOIN work_manifests m ON m.id = c.id
   WHERE ${waiting('m')}
   ORDER BY c.rank, c.turn, c.repository_turn, c.created_at, m.id
   LIMIT ${MAX_CANDIDATES} FOR UPDATE OF m SKIP LOCKED`,
};

/**
 * Takes all dirspaces of a run and marks it as sent, in one statement: each further one of a pick costs a round trip. Its
 * parts run in this order, because each of them counts the rows of the part before.
 */
const OCCUPY = {
  name: 'run_queue_occupy',
  text: `
  WITH wanted AS (
    SELECT m.repository_id, d.dir, d.workspace, CASE WHEN m.run_type = 'apply' THEN 'apply' ELSE 'plan' END AS mode,
           m.kind = 'drift' AND m.run_type = 'apply' AND d.lock_policy = 'apply' AS is_held,
           m.kind = 'drift' AND m.run_type = 'apply' AND d.lock_policy = 'none' AS is_free
      FROM work_manifests m JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id WHERE m.id = $1
     ORDER BY d.dir, d.workspace),
  modes AS (
    INSERT INTO dirspace_modes AS o (repository_id, dir, workspace, mode)
    SELECT repository_id, dir, workspace, mode FROM wanted
    ON CONFLICT (repository_id, dir, workspace) DO UPDATE SET mode = excluded.mode
     WHERE o.mode = excluded.mode AND o.mode = 'plan' OR NOT EXISTS (
       SELECT FROM running_dirspaces r
        WHERE r.repository_id = o.repository_id AND r.dir = o.dir AND r.workspace = o.workspace)
    RETURNING 1),
  in_mode AS (SELECT (SELECT count(*) FROM wanted) = (SELECT count(*) FROM modes) AS is_whole),
  -- What reconciles drift holds its dirspaces, as the apply of a pull request does; in the order of Holds.acquire.
  holds AS (
    INSERT INTO dirspace_holds (repository_id, dir, workspace, work_manifest_id, created_at)
    SELECT repository_id, dir, workspace, $1::uuid, $3::timestamptz FROM wanted
     WHERE is_held AND (SELECT is_whole FROM in_mode) ORDER BY (dir || workspace) COLLATE "C"
    ON CONFLICT (repository_id, dir, workspace) DO NOTHING RETURNING 1),
  taken AS (
    SELECT (SELECT is_whole FROM in_mode)
       AND (SELECT count(*) FROM wanted WHERE is_held) = (SELECT count(*) FROM holds)
       -- Where it holds nothing itself, what others hold counts all the same.
       AND NOT EXISTS (SELECT FROM wanted w JOIN dirspace_holds h USING (repository_id, dir, workspace) WHERE w.is_free)
           AS is_whole),
  begun AS (
    INSERT INTO running_dirspaces (work_manifest_id, repository_id, dir, workspace, mode)
    SELECT $1::uuid, repository_id, dir, workspace, mode FROM wanted WHERE (SELECT is_whole FROM taken))
  UPDATE work_manifests m SET dispatch_state = $2, dispatched_at = $3, work_token_hash = $4, retry_at = NULL,
         first_dispatched_at = coalesce(m.first_dispatched_at, $3)
   WHERE m.id = $1 AND (SELECT is_whole FROM taken)
     AND (SELECT count(*) FROM work_manifests b WHERE b.installation_id = m.installation_id AND ${busy('b')}) < $5
   RETURNING m.id`,
};

/** Takes what may be dispatched. Exclusion is kept by `dirspace_modes` and `running_dirspaces`, whoever asks. */
@Injectable()
export class RunQueue {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * The next run with all of its dirspaces taken, marked as being sent; undefined when nothing may start. Only the hash
   * of the work token is kept.
   */
  async take(request: QueueRequest, workTokenHash: Buffer): Promise<string | undefined> {
    let awaited: string | undefined;
    for (let look = 0; look < MAX_LOOKS; look++) {
      const { taken, hasMore, contended } = await this.takeOne(request, workTokenHash, awaited);
      if (taken !== undefined || !hasMore) return taken;
      awaited = contended;
    }
    return undefined;
  }

  /**
   * Runs of one installation are begun one after the other, so that no two takers count the same free place. An
   * installation that another taker has locked is waited for in the next look (`awaited`), before any row is locked:
   * a taker that waited with candidates in hand could deadlock.
   */
  private async takeOne(
    request: QueueRequest,
    workTokenHash: Buffer,
    awaited: string | undefined,
  ): Promise<Look> {
    return this.work.run(async () => {
      if (awaited !== undefined) await this.awaitInstallation(awaited);
      const candidates = await this.findCandidates(request);
      const isLocked = new Map<string, boolean>();
      for (const { id, installationId } of candidates) {
        if (!isLocked.has(installationId))
          isLocked.set(installationId, await this.tryLockInstallation(installationId));
        if (isLocked.get(installationId) !== true) continue;
        if (await this.occupy(id, { place: request.place, workTokenHash }))
          return { taken: id, hasMore: true };
      }
      const [contended] = [...isLocked].find(([, hasLock]) => !hasLock) ?? [];
      return { hasMore: candidates.length > 0, contended };
    });
  }

  private findCandidates({ place, pool }: QueueRequest): Promise<Candidate[]> {
    return this.work.prepared<Candidate>(CANDIDATES, [
      place,
      this.clock.now(),
      pool?.tenantId ?? null,
      pool?.name ?? null,
      this.config.get('SERVICE_RUNS_PER_INSTALLATION'),
    ]);
  }

  private async awaitInstallation(id: string): Promise<void> {
    await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      ADVISORY_LOCK_CLASSES.runsOfInstallation,
      id,
    ]);
  }

  private async tryLockInstallation(id: string): Promise<boolean> {
    const [row] = await this.work.query<Record<string, boolean>>(
      'SELECT pg_try_advisory_xact_lock($1, hashtext($2))',
      [ADVISORY_LOCK_CLASSES.runsOfInstallation, id],
    );
    return Object.values(row ?? {})[0] === true;
  }

  /** Gives a run back that could not be sent; `attempt`: only while that one is the last, and has no answer. */
  async giveBack(id: string, retryAt: Date, attempt: Buffer | null): Promise<void> {
    await this.work.run(async () => {
      const { affected } = await this.work.manager.update(
        WorkManifestEntity,
        {
          id,
          state: 'queued',
          ...(attempt === null ? {} : { dispatchState: 'sending' as const, workTokenHash: attempt }),
        },
        { dispatchState: null, dispatchedAt: null, workTokenHash: null, retryAt },
      );
      if (affected !== 1) return;
      await this.work.manager.delete(RunningDirspaceEntity, { workManifestId: id });
      await releaseReconciled(this.work, id);
    });
  }

  /**
   * All dirspaces of a run or none, and none when the installation is at its limit: the candidates were counted before it
   * was locked. The rows of the modes are locked in one order, so that two takers never deadlock.
   */
  private async occupy(id: string, { place, workTokenHash }: Sending): Promise<boolean> {
    await this.work.query('SAVEPOINT occupy');
    const values = [
      id,
      place === 'pool' ? 'sent' : 'sending',
      this.clock.now(),
      workTokenHash,
      this.config.get('SERVICE_RUNS_PER_INSTALLATION'),
    ];
    if (await this.isUnlessRefused(async () => (await this.work.prepared(OCCUPY, values)).length === 1))
      return true;
    await this.work.query('ROLLBACK TO SAVEPOINT occupy');
    return false;
  }

  /** False when the database refuses: somebody else has taken one of the dirspaces at the same moment. */
  private async isUnlessRefused(take: () => Promise<boolean>): Promise<boolean> {
    try {
      return await take();
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (code === FOREIGN_KEY_VIOLATION || code === UNIQUE_VIOLATION) return false;
      throw error;
    }
  }
}
