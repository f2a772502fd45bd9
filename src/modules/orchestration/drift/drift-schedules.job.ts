import { Injectable, Logger } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { InvalidRepoConfig } from '../../repo-config/index.js';
import { type CodeEvents, HandlesCodeEvent } from '../../vcs/index.js';
import { DriftScheduleEntity } from '../entities/run-artifact.entities.js';
import { DefaultBranches } from '../planning/default-branches.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { RunPlaces } from '../planning/run-places.js';
import { DriftRuns } from './drift-runs.js';
import { isWithinWindow, nextDrift } from './drift-time.rules.js';

const MINUTE_MS = 60_000;
const MAX_PER_SWEEP = 20;

export const SweepDriftJob = defineJob('sweep-drift', { queue: 'runs', everyMs: MINUTE_MS, attempts: 1 });

/** Schedules as the default branch has them, and the runs that they start. */
@Injectable()
export class DriftSchedules {
  private readonly logger = new Logger('DriftSchedules');

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly branches: DefaultBranches,
    private readonly places: RunPlaces,
    private readonly runs: DriftRuns,
    private readonly jobs: Jobs,
  ) {}

  @HandlesCodeEvent('push')
  async pushed(event: CodeEvents['push']): Promise<void> {
    try {
      await this.readSchedules(event);
    } catch (error) {
      // Pull requests say what is wrong with it; the schedules stay as they were.
      if (!(error instanceof InvalidRepoConfig)) throw error;
      this.logger.warn({ msg: 'drift schedules could not be read', ...describeFailure(error) });
      return;
    }
    // What is due is started at once, not only at the next minute.
    await this.jobs.enqueue(SweepDriftJob, {});
  }

  @HandlesJob(SweepDriftJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) return;
    const now = this.clock.now();
    for (const schedule of await this.takeDue(now)) {
      try {
        const [repository] = await this.work.query<{ installationId: string }>(
          'SELECT installation_id AS "installationId" FROM repositories WHERE id = $1',
          [schedule.repositoryId],
        );
        const place =
          repository && (await this.places.of({ ...repository, repositoryId: schedule.repositoryId }));
        if (place) await this.runs.start(place, schedule, now);
      } catch (error) {
        this.logger.warn({ msg: 'drift run could not be started', ...describeFailure(error) });
      }
    }
  }

  /** A schedule that appears or changes is due at once. */
  private async readSchedules(place: RepositoryPlace): Promise<void> {
    const found = await this.branches.read(place);
    const { enabled, schedules } = found?.config.drift ?? { enabled: false, schedules: {} };
    const names = enabled && found?.config.enabled === true ? Object.keys(schedules) : [];
    await this.work.run(async () => {
      await this.work.manager.delete(DriftScheduleEntity, {
        repositoryId: place.repository.id,
        name: Not(In(names)),
      });
      for (const name of names) {
        const schedule = schedules[name];
        if (!schedule) continue;
        await this.work.query(
          `INSERT INTO drift_schedules AS d (repository_id, name, schedule, tag_query, is_reconciling, window_start, window_end, next_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
           ON CONFLICT (repository_id, name) DO UPDATE SET schedule = excluded.schedule, tag_query = excluded.tag_query,
             is_reconciling = excluded.is_reconciling, window_start = excluded.window_start, window_end = excluded.window_end,
             next_at = excluded.next_at
            WHERE (d.schedule, d.tag_query, d.is_reconciling, d.window_start, d.window_end)
               IS DISTINCT FROM (excluded.schedule, excluded.tag_query, excluded.is_reconciling, excluded.window_start, excluded.window_end)`,
          [
            place.repository.id,
            name,
            schedule.schedule,
            schedule.tag_query,
            schedule.reconcile,
            schedule.window?.start ?? null,
            schedule.window?.end ?? null,
            this.clock.now(),
          ],
        );
      }
    });
  }

  /** Each due schedule is taken by one worker, and moved on before its run is made. */
  private async takeDue(now: Date): Promise<DriftScheduleEntity[]> {
    return this.work.run(async () => {
      const rows = await this.work.query<DriftScheduleEntity>(
        `SELECT repository_id AS "repositoryId", name, schedule, tag_query AS "tagQuery", is_reconciling AS "isReconciling",
                window_start AS "windowStart", window_end AS "windowEnd", next_at AS "nextAt", last_at AS "lastAt"
           FROM drift_schedules WHERE next_at <= $1 ORDER BY next_at LIMIT ${MAX_PER_SWEEP} FOR UPDATE SKIP LOCKED`,
        [now],
      );
      const due = rows.filter(({ windowStart, windowEnd }) => isWithinWindow(now, windowStart, windowEnd));
      for (const { repositoryId, name, schedule } of due)
        await this.work.manager.update(
          DriftScheduleEntity,
          { repositoryId, name },
          { nextAt: nextDrift(schedule, now), lastAt: now },
        );
      return due;
    });
  }
}
