import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../platform/queue/index.js';

const AT_ONCE = 5000;

/** Hourly: tasks that ended long ago go with their results, when so configured. */
export const PruneTasksJob = defineJob('prune-tasks', { everyMs: 3_600_000, attempts: 1, concurrency: 1 });

@Injectable()
export class TaskRetention {
  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
  ) {}

  @HandlesJob(PruneTasksJob)
  async prune(_payload: object, _run: JobRun): Promise<void> {
    const days = this.config.get('SERVICE_TASKS_MAX_AGE_DAYS');
    if (days === 0) return;
    for (let gone = AT_ONCE; gone === AT_ONCE;) {
      const rows = await this.work.query(
        `DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE state IN ('completed', 'failed', 'aborted')
           AND finished_at < now() - make_interval(days => $1) LIMIT ${AT_ONCE}) RETURNING id`,
        [days],
      );
      gone = rows.length;
    }
  }
}
