import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import type { RepoConfig } from '../../repo-config/index.js';
import { DriftScheduleEntity } from '../entities/run-artifact.entities.js';
import { type ScheduleFields, schedulesOf } from './drift-schedule.rules.js';
import { nextDrift, retryPauseMs } from './drift-time.rules.js';

/** A worker that was killed loses what it took after so long. */
const LEASE_MS = 10 * 60_000;
/** How often it is looked whether a run that is waited for has ended, should nobody have said so. */
const WAIT_MS = 60_000;
const MAX_PER_TAKE = 10;

export type ScheduleName = Pick<DriftScheduleEntity, 'repositoryId' | 'name'>;
/** A due schedule that one worker has leased; `retryAt` is the end of the lease and tells it from others. */
export type TakenSchedule = ScheduleName &
  ScheduleFields &
  Pick<DriftScheduleEntity, 'attempts' | 'nextAt' | 'askedAt'> & { retryAt: Date; installationId: string };

export interface ScheduleProblem {
  /** the provider's id */
  repository: string;
  name: string;
  problem: string;
}

/** Whether the UTC time of day `$2` lies in the window, its start included; a window may cross midnight. */
const IN_WINDOW = `(d.window_start IS NULL OR d.window_end IS NULL OR d.window_start = d.window_end
  OR CASE WHEN d.window_start COLLATE "C" < d.window_end COLLATE "C"
          THEN $2 >= d.window_start COLLATE "C" AND $2 < d.window_end COLLATE "C"
          ELSE $2 >= d.window_start COLLATE "C" OR $2 < d.window_end COLLATE "C" END)`;

const DUE = `(d.asked_at IS NOT NULL OR d.next_at <= $1 AND ${IN_WINDOW}) AND (d.retry_at IS NULL OR d.retry_at <= $1)`;

/** Table `drift_schedules`. */
@Injectable()
export class DriftSchedulesStore {
  constructor(private readonly work: UnitOfWork) {}

  /** Due schedules, in turns over installations. Nobody else gets them before their lease ends. */
  takeDue(now: Date): Promise<TakenSchedule[]> {
    return this.work.query<TakenSchedule>(
      `WITH due AS (
         SELECT d.repository_id, d.name, r.installation_id,
                row_number() OVER (PARTITION BY r.installation_id ORDER BY d.next_at, d.repository_id, d.name) AS turn
           FROM drift_schedules d JOIN repositories r ON r.id = d.repository_id
           JOIN installations i ON i.id = r.installation_id
          WHERE i.tenant_id IS NOT NULL AND i.state NOT IN ('suspended', 'uninstalled') AND ${DUE}),
       taken AS (
         SELECT d.repository_id, d.name, due.installation_id
           FROM due JOIN drift_schedules d ON d.repository_id = due.repository_id AND d.name = due.name
          WHERE ${DUE} ORDER BY due.turn, d.next_at LIMIT ${MAX_PER_TAKE} FOR UPDATE OF d SKIP LOCKED)
       UPDATE drift_schedules d SET retry_at = $3, attempts = d.attempts + 1
         FROM taken t WHERE d.repository_id = t.repository_id AND d.name = t.name
       RETURNING d.repository_id AS "repositoryId", d.name, d.schedule, d.tag_query AS "tagQuery",
                 d.is_reconciling AS "isReconciling", d.window_start AS "windowStart", d.window_end AS "windowEnd",
                 d.attempts, d.next_at AS "nextAt", d.asked_at AS "askedAt", d.retry_at AS "retryAt",
                 t.installation_id AS "installationId"`,
      [now, now.toISOString().slice(11, 16), new Date(now.getTime() + LEASE_MS)],
    );
  }

  /**
   * Moves a taken schedule on; however many periods were missed, they count once. False when its lease is over, when it
   * was changed, disabled or deleted meanwhile, or when a replica of an older version, which knows no leases, moved it
   * on. Call it in the transaction that creates the runs.
   */
  async moveOn(
    { repositoryId, name, schedule, retryAt, nextAt, askedAt }: TakenSchedule,
    now: Date,
  ): Promise<boolean> {
    const rows = await this.work.query(
      `UPDATE drift_schedules SET next_at = CASE WHEN next_at <= $4 THEN $5 ELSE next_at END, retry_at = NULL,
              attempts = 0, problem = NULL, asked_at = NULL
        WHERE repository_id = $1 AND name = $2 AND retry_at = $3
          AND ($7 OR date_trunc('milliseconds', next_at) = $6) RETURNING name`,
      [repositoryId, name, retryAt, now, nextDrift(schedule, now), nextAt, askedAt !== null],
    );
    return rows.length === 1;
  }

  /** Runs of the schedule were created. */
  async recordLook({ repositoryId, name }: ScheduleName, now: Date): Promise<void> {
    await this.work.manager.update(DriftScheduleEntity, { repositoryId, name }, { lastAt: now });
  }

  /** A taken schedule is due again at once: what was taken is not what counts any more. */
  async release({ repositoryId, name, retryAt }: TakenSchedule): Promise<void> {
    await this.work.manager.update(DriftScheduleEntity, { repositoryId, name, retryAt }, { retryAt: null });
  }

  /** A taken schedule could not begin; it is tried again at `until`, or after a pause that grows. */
  async postpone(
    { repositoryId, name, attempts, retryAt }: TakenSchedule,
    { now, problem, until }: { now: Date; problem: string; until?: Date | undefined },
  ): Promise<void> {
    await this.work.query(
      `UPDATE drift_schedules SET retry_at = $4, problem = $5 WHERE repository_id = $1 AND name = $2 AND retry_at = $3`,
      [
        repositoryId,
        name,
        retryAt,
        until ?? new Date(now.getTime() + retryPauseMs(attempts)),
        storableText(problem),
      ],
    );
  }

  /** A taken schedule waits for a run; that is no failed attempt. */
  async await(
    { repositoryId, name, retryAt }: TakenSchedule,
    { now, problem }: { now: Date; problem: string },
  ): Promise<void> {
    await this.work.query(
      `UPDATE drift_schedules SET retry_at = $4, problem = $5, attempts = 0
        WHERE repository_id = $1 AND name = $2 AND retry_at = $3`,
      [repositoryId, name, retryAt, new Date(now.getTime() + WAIT_MS), problem],
    );
  }

  /** Somebody starts a schedule that waits for a run: it begins once that one has ended. */
  async ask({ repositoryId, name }: ScheduleName, now: Date): Promise<void> {
    await this.work.query(
      'UPDATE drift_schedules SET asked_at = $3, retry_at = $4 WHERE repository_id = $1 AND name = $2',
      [repositoryId, name, now, new Date(now.getTime() + WAIT_MS)],
    );
  }

  /** What kept the schedules of a repository may be gone: they are tried again at once. */
  async retry(repositoryId: string): Promise<void> {
    await this.work.query(
      `WITH kept AS (
         SELECT name FROM drift_schedules
          WHERE repository_id = $1 AND (problem IS NOT NULL OR asked_at IS NOT NULL) ORDER BY name FOR UPDATE)
       UPDATE drift_schedules d SET retry_at = NULL, attempts = 0 FROM kept
        WHERE d.repository_id = $1 AND d.name = kept.name`,
      [repositoryId],
    );
  }

  /** What keeps schedules of an installation from beginning, or their default branches from being read. */
  async listProblems(installationId: string): Promise<ScheduleProblem[]> {
    return this.work.query<ScheduleProblem>(
      `SELECT r.provider_id AS repository, d.name, coalesce(d.problem, b.problem) AS problem
         FROM drift_schedules d JOIN repositories r ON r.id = d.repository_id
         LEFT JOIN drift_branches b ON b.repository_id = d.repository_id
        WHERE r.installation_id = $1 AND coalesce(d.problem, b.problem) IS NOT NULL`,
      [installationId],
    );
  }

  /** Schedules as a default branch has them. One that appears or changes is due at once. */
  async replace(repositoryId: string, config: RepoConfig, now: Date): Promise<void> {
    const schedules = schedulesOf(config);
    // All of them in one order, as whoever makes some due again does.
    await this.work.query('SELECT FROM drift_schedules WHERE repository_id = $1 ORDER BY name FOR UPDATE', [
      repositoryId,
    ]);
    await this.work.manager.delete(DriftScheduleEntity, {
      repositoryId,
      name: Not(In([...schedules.keys()])),
    });
    for (const [name, fields] of schedules)
      await this.work.query(
        `INSERT INTO drift_schedules AS d (repository_id, name, schedule, tag_query, is_reconciling, window_start, window_end, next_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (repository_id, name) DO UPDATE SET schedule = excluded.schedule, tag_query = excluded.tag_query,
           is_reconciling = excluded.is_reconciling, window_start = excluded.window_start, window_end = excluded.window_end,
           next_at = excluded.next_at, retry_at = NULL, attempts = 0, problem = NULL
          WHERE (d.schedule, d.tag_query, d.is_reconciling, d.window_start, d.window_end)
             IS DISTINCT FROM (excluded.schedule, excluded.tag_query, excluded.is_reconciling, excluded.window_start, excluded.window_end)`,
        [
          repositoryId,
          name,
          fields.schedule,
          fields.tagQuery,
          fields.isReconciling,
          fields.windowStart,
          fields.windowEnd,
          now,
        ],
      );
  }
}
