import { defineJob } from '../../platform/queue/index.js';

export const RunTaskJob = defineJob<{ taskId: string }>('run-task', {
  queue: 'tasks',
  attempts: 4,
  backoffMs: 1_000,
});

/** Twice a minute: tasks whose job was lost between commit and queue, or with the process that worked on them. */
export const SweepTasksJob = defineJob('sweep-tasks', { everyMs: 30_000, attempts: 1, concurrency: 1 });
